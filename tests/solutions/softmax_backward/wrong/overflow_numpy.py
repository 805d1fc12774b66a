"""The maximum is not subtracted.

caught-by: values
"""

import numpy as np


def softmax_backward(x, grad, axis=-1):
    e = np.exp(x)
    w = e / e.sum(axis=axis, keepdims=True)
    return w * (grad - (grad * w).sum(axis=axis, keepdims=True))
