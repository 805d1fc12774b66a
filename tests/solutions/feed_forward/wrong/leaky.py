"""A leaky ReLU.

caught-by: values
"""

import numpy as np


def feed_forward(x, w_1, b_1, w_2, b_2):
    z = x @ w_1 + b_1
    return np.where(z > 0, z, 0.01 * z) @ w_2 + b_2
