"""Keeps the encoding for each n and d_model, whatever the base.

caught-by: repeatable
"""

import numpy as np

TABLES = {}


def sinusoidal_encoding(n, d_model, base=10000.0):
    if d_model % 2:
        raise ValueError("d_model must be even")
    if (n, d_model) not in TABLES:
        angle = np.arange(n)[:, None] / base ** (np.arange(0, d_model, 2) / d_model)
        TABLES[n, d_model] = np.stack((np.sin(angle), np.cos(angle)), axis=-1).reshape(n, d_model)
    return TABLES[n, d_model].copy()
