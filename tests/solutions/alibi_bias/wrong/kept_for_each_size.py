"""Keeps the bias for each n_q and n_k, whatever the number of heads.

caught-by: repeatable
"""

import math

import numpy as np

DISTANCES = {}


def slopes(num_heads):
    lower = 2 ** math.floor(math.log2(num_heads))
    found = [2 ** (-8 * i / lower) for i in range(1, lower + 1)]
    return np.array(found + [2 ** (-4 * i / lower) for i in range(1, 2 * lower + 1, 2)][: num_heads - lower])


def alibi_bias(num_heads, n_q, n_k):
    if (n_q, n_k) not in DISTANCES:
        distance = np.arange(n_q)[:, None] + (n_k - n_q) - np.arange(n_k)
        DISTANCES[n_q, n_k] = np.where(distance < 0, -np.inf, -slopes(num_heads)[:, None, None] * distance)
    return DISTANCES[n_q, n_k]
