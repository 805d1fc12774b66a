"""NumPy: the formula with two means."""

import numpy as np


def layer_norm_backward(grad, x, gamma, eps=1e-5):
    centred = x - x.mean(axis=-1, keepdims=True)
    root = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
    s, g = centred / root, grad * gamma
    dx = (g - g.mean(axis=-1, keepdims=True) - s * (g * s).mean(axis=-1, keepdims=True)) / root
    d = x.shape[-1]
    return dx, (grad * s).reshape(-1, d).sum(axis=0), grad.reshape(-1, d).sum(axis=0)
