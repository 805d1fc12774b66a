"""Number by number."""

import math

import numpy as np


def slope(head, h):
    m = 1
    while 2 * m <= h:
        m *= 2
    return 2 ** (-8 * (head + 1) / m) if head < m else 2 ** (-4 * (2 * (head - m) + 1) / m)


def alibi_bias(num_heads, n_q, n_k):
    bias = np.full((num_heads, n_q, n_k), -math.inf)
    for head in range(num_heads):
        for q in range(n_q):
            for k in range(n_k):
                distance = (n_k - 1) - (n_q - 1) + q - k
                if distance >= 0:
                    bias[head, q, k] = -slope(head, num_heads) * distance
    return bias
