"""One step, delta times."""

import numpy as np


def shift_matrix(delta, d_model, base=10000.0):
    step = np.zeros((d_model, d_model))
    even = np.arange(0, d_model, 2)
    w = base ** (-even / d_model)
    step[even, even] = step[even + 1, even + 1] = np.cos(w)
    step[even + 1, even] = np.sin(w)
    step[even, even + 1] = -np.sin(w)
    return np.linalg.matrix_power(step, delta)
