"""Always square.

caught-by: values
"""

import numpy as np


def alibi_bias(num_heads, n_q, n_k):
    slopes = 2.0 ** (-8 * np.arange(1, num_heads + 1) / num_heads)
    distance = np.arange(n_q)[:, None] - np.arange(n_q)
    return np.where(distance < 0, -np.inf, -slopes[:, None, None] * distance)
