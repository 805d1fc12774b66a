import numpy as np


def sinusoidal_encoding(n, d_model, base=10000.0):
    if d_model % 2:
        raise ValueError("odd")
    pos = np.arange(n)[:, None]
    i = np.arange(d_model // 2)[None, :]
    angle = pos / base ** (i / d_model)  #!
    out = np.empty((n, d_model))
    out[:, 0::2] = np.sin(angle)
    out[:, 1::2] = np.cos(angle)
    return out
