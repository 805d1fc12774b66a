"""Number by number, with math."""

import math

import numpy as np


def sinusoidal_encoding(n, d_model, base=10000.0):
    if d_model & 1:
        raise ValueError
    rows = []
    for pos in range(n):
        row = []
        for i in range(d_model // 2):
            angle = pos / base ** (2 * i / d_model)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row)
    return np.array(rows)
