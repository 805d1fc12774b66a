"""NumPy, plain."""

import math

import numpy as np


def alibi_slopes(num_heads):
    m = 2 ** math.floor(math.log2(num_heads))
    slopes = 2.0 ** (-8 * np.arange(1, m + 1) / m)
    if m < num_heads:
        extra = 2.0 ** (-4 * np.arange(1, 2 * (num_heads - m), 2) / m)
        slopes = np.concatenate([slopes, extra])
    return slopes
