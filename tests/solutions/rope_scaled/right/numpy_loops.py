"""NumPy: a two-by-two rotation for every token and pair."""

import math

import numpy as np


def rope_scaled(x, positions, trained_len, length, base=10000.0):
    n, d = x.shape[-2:]
    if d % 2:
        raise ValueError("d is odd")
    longer = max(length / trained_len, 1)
    out = np.zeros_like(x)
    for t in range(n):
        for i in range(d // 2):
            theta = float(positions[t]) / longer / base ** (2 * i / d)
            turn = np.array([[math.cos(theta), math.sin(theta)], [-math.sin(theta), math.cos(theta)]], dtype=x.dtype)
            out[..., t, 2 * i : 2 * i + 2] = x[..., t, 2 * i : 2 * i + 2] @ turn
    return out
