import numpy as np

def apply_rope(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2: raise ValueError(f"d must be even, got {d}")
    t = (np.asarray(positions)[:, None] * base ** (-np.arange(d // 2) / d)).astype(x.dtype)  #!
    c, s = np.cos(t), np.sin(t)
    a, b = x[..., ::2], x[..., 1::2]
    return np.concatenate([a * c - b * s, a * s + b * c], -1)  #!
