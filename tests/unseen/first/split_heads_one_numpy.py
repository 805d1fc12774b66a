import numpy as np


def split_heads(x, num_heads):
    d = x.shape[-1]
    if d % num_heads:
        raise ValueError("num_heads")
    y = x.reshape(*x.shape[:-1], d // num_heads, num_heads)  #!
    return np.moveaxis(y, -1, -3)
