import numpy as np

def layer_norm(x, gamma, beta, eps=1e-5):
    c = x - x.mean(-1, keepdims=True)
    return gamma * c / (np.sqrt((c ** 2).mean(-1, keepdims=True)) + eps) + beta  #!
