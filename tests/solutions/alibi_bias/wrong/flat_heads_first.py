"""The heads in reverse order.

caught-by: values
"""

import numpy as np


def alibi_bias(num_heads, n_q, n_k):
    slopes = 2.0 ** (-8 * np.arange(num_heads, 0, -1) / num_heads)
    distance = np.arange(n_k - n_q, n_k)[:, None] - np.arange(n_k)
    return np.where(distance < 0, -np.inf, -slopes[:, None, None] * distance)
