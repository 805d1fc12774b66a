"""Two to the power of x instead of e.

caught-by: values, gradients
"""

import torch


def softmax(x, axis=-1):
    e = 2 ** (x - x.amax(dim=axis, keepdim=True))
    return e / e.sum(dim=axis, keepdim=True)
