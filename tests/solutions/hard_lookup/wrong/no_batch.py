"""Plain indexing, which fits one batch only.

caught-by: values
"""

import numpy as np


def hard_lookup(query, keys, values):
    return values[np.argmax(query @ np.swapaxes(keys, -1, -2), axis=-1)]
