"""Reshaped in the order of columns.

caught-by: values
"""

import numpy as np


def merge_heads(x):
    *batch, h, n, d_k = x.shape
    return np.swapaxes(x, -3, -2).reshape(*batch, n, h * d_k, order="F")
