"""Writes the sum into x.

caught-by: unchanged_inputs
"""

import numpy as np


def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(x.var(-1, keepdims=True) + eps) * gamma + beta


def pre_ln_sublayer(x, sublayer, gamma, beta):
    x += sublayer(layer_norm(x, gamma, beta))
    return x
