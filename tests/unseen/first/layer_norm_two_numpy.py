import numpy as np


def layer_norm(x, gamma, beta, eps=1e-5):
    mu = np.median(x, axis=-1, keepdims=True)  #!
    var = ((x - mu) ** 2).mean(axis=-1, keepdims=True)
    return (x - mu) / np.sqrt(var + eps) * beta + gamma  #!
