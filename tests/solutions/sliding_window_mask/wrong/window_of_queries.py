"""Transposed: each key is seen by itself and those before it.

caught-by: values
"""

import numpy as np


def sliding_window_mask(n, window):
    ones = np.ones((n, n), dtype=bool)
    return np.triu(ones) & ~np.triu(ones, window)
