"""The product of the shape, with NumPy integers."""

import numpy as np


def projection_flops(n, d_model):
    return np.prod([4, 2, n, d_model, d_model])
