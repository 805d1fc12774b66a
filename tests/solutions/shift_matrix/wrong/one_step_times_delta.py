"""delta is multiplied with the sine and the cosine.

caught-by: shifts
"""

import numpy as np


def shift_matrix(delta, d_model, base=10000.0):
    m = np.zeros((d_model, d_model))
    for i in range(0, d_model, 2):
        t = base ** (-i / d_model)
        m[i : i + 2, i : i + 2] = delta * np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])
    return m
