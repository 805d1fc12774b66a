"""No maximum taken off; cold lookups overflow.

caught-by: values
"""

import numpy as np


def soft_lookup(query, keys, values, temperature=1.0):
    if temperature <= 0:
        raise ValueError("temperature must be > 0")
    e = np.exp(query @ np.swapaxes(keys, -1, -2) / temperature)
    return e / e.sum(axis=-1, keepdims=True) @ values
