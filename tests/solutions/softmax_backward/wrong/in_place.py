"""The result is written into the caller's gradient.

caught-by: unchanged_inputs
"""

import numpy as np


def softmax_backward(x, grad, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    w = e / e.sum(axis=axis, keepdims=True)
    grad -= (grad * w).sum(axis=axis, keepdims=True)
    grad *= w
    return grad
