"""The positive root of a polynomial, by NumPy."""

import numpy as np


def crossover_length(d_model):
    return np.roots([4.0 * d_model, -8.0 * d_model**2, 0.0]).real.max()
