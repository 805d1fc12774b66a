"""The norm takes one token at a time; the sublayer gets all of them."""

import numpy as np


def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(x.var(-1, keepdims=True) + eps) * gamma + beta


def pre_ln_sublayer(x, sublayer, gamma, beta):
    flat = x.reshape(-1, x.shape[-1])
    normed = np.stack([layer_norm(row, gamma, beta) for row in flat]).reshape(x.shape)
    return x + sublayer(normed)
