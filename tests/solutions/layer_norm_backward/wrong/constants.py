"""Takes mean and deviation for constants.

caught-by: values
"""

import numpy as np


def layer_norm_backward(grad, x, gamma, eps=1e-5):
    d = x.shape[-1]
    root = np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    s = (x - x.mean(axis=-1, keepdims=True)) / root
    return grad * gamma / root, (grad * s).reshape(-1, d).sum(axis=0), grad.reshape(-1, d).sum(axis=0)
