"""Block by block."""

import numpy as np


def shift_matrix(delta, d_model, base=10000.0):
    m = np.zeros((d_model, d_model))
    for i in range(d_model // 2):
        angle = delta / base ** (2 * i / d_model)
        m[2 * i, 2 * i] = m[2 * i + 1, 2 * i + 1] = np.cos(angle)
        m[2 * i + 1, 2 * i] = np.sin(angle)
        m[2 * i, 2 * i + 1] = -np.sin(angle)
    return m
