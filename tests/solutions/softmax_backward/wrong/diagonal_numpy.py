"""Each weight responds to its own score alone.

caught-by: values
"""

import numpy as np


def softmax_backward(x, grad, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    w = e / e.sum(axis=axis, keepdims=True)
    return grad * w * (1 - w)
