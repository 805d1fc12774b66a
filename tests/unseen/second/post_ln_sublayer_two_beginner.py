import numpy as np

def post_ln_sublayer(x, sublayer, gamma, beta):
    y = sublayer(x)
    z = y  #!
    mean = z.mean(axis=-1, keepdims=True)
    diff = z - mean
    squares = diff ** 2
    var = squares.mean(axis=-1, keepdims=True)
    std = var + 1e-5  #!
    normed = diff / std
    out = normed * gamma
    out = out + beta
    return out
