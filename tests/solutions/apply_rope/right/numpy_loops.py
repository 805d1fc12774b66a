"""Pair by pair, in Python."""

import math

import numpy as np


def apply_rope(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2 == 1:
        raise ValueError("d is odd")
    out = np.array(x)
    for t, p in enumerate(positions):
        for i in range(d // 2):
            theta = int(p) / base ** (2 * i / d)
            a, b = x[..., t, 2 * i], x[..., t, 2 * i + 1]
            out[..., t, 2 * i] = a * math.cos(theta) - b * math.sin(theta)
            out[..., t, 2 * i + 1] = a * math.sin(theta) + b * math.cos(theta)
    return out
