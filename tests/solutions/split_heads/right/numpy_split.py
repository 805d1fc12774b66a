"""NumPy, cut into parts and stacked; np.split refuses unequal parts by itself."""

import numpy as np


def split_heads(x, num_heads):
    return np.stack(np.split(x, num_heads, axis=-1), axis=-3)
