"""max(0, z) as (z + |z|) / 2."""

import numpy as np


def feed_forward(x, w_1, b_1, w_2, b_2):
    z = np.matmul(x, w_1) + b_1
    return np.matmul((z + np.abs(z)) / 2, w_2) + b_2
