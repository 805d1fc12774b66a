"""NumPy, one slice after the other."""

import numpy as np


def one(row):
    e = np.exp(row - row.max())
    return e / e.sum()


def softmax(x, axis=-1):
    return np.apply_along_axis(one, axis, x)
