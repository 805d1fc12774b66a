"""A NumPy float, pair by pair."""

import numpy as np


def attention_flops(n, d_model):
    pairs = np.float64(n) ** 2
    return pairs * (2.0 * d_model + 2.0 * d_model)
