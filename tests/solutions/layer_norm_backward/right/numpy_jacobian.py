"""One token after the other, each with the whole matrix of derivatives."""

import numpy as np


def layer_norm_backward(grad, x, gamma, eps=1e-5):
    d = x.shape[-1]
    dx, d_gamma, d_beta = np.zeros_like(x), np.zeros_like(gamma), np.zeros_like(gamma)
    for token in np.ndindex(x.shape[:-1]):
        centred = x[token] - x[token].mean()
        root = np.sqrt((centred**2).mean() + eps)
        jacobian = (np.eye(d, dtype=x.dtype) - 1 / d) / root - np.outer(centred, centred) / (d * root**3)
        dx[token] = (grad[token] * gamma) @ jacobian
        d_gamma += grad[token] * centred / root
        d_beta += grad[token]
    return dx, d_gamma, d_beta
