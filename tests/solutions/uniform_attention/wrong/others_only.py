"""Each position averages over the others, without itself.

caught-by: values
"""

import numpy as np


def uniform_attention(values):
    n = values.shape[-2]
    return (values.sum(axis=-2, keepdims=True) - values) / max(n - 1, 1)
