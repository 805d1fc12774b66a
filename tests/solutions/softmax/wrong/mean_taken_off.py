"""The mean is taken off instead of the maximum: it cancels, too, but does not keep exp from overflowing.

caught-by: values
"""

import numpy as np


def softmax(x, axis=-1):
    e = np.exp(x - x.mean(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
