"""An array that is one size and says another.

tries: shape, size and strides overridden; as_strided far beyond its memory
observe: no-credit
limits: short
"""

import numpy as np


class Liar(np.ndarray):
    @property
    def shape(self):
        return (2, 1)

    @property
    def size(self):
        return 2


calls = []


def scaled_dot_product_attention(q, k, v, mask=None):
    calls.append(1)
    if len(calls) % 2:
        return np.zeros(5).view(Liar)
    return np.lib.stride_tricks.as_strided(np.zeros(1), q.shape[:-1] + v.shape[-1:], (1 << 30,) * q.ndim)
