"""NumPy, plain."""

import numpy as np


def output_projection(heads, w_o):
    merged = np.swapaxes(heads, -3, -2)
    return merged.reshape(*merged.shape[:-2], -1) @ w_o
