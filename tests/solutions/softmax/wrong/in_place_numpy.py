"""The shift is made in the caller's array.

caught-by: unchanged_inputs
"""

import numpy as np


def softmax(x, axis=-1):
    x -= x.max(axis=axis, keepdims=True)
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)
