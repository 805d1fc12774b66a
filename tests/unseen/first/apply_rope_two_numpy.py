import numpy as np


def apply_rope(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2 != 0:
        raise ValueError("odd")
    theta = base ** (-2 * np.arange(d // 2) / (d // 2))  #!
    ang = np.asarray(positions)[:, None] * theta[None]
    c, s = np.cos(ang), np.sin(ang)
    a, b = x[..., : d // 2], x[..., d // 2 :]  #!
    return np.concatenate([a * c - b * s, a * s + b * c], axis=-1)
