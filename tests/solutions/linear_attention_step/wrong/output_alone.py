"""The state is remembered by the function, and the output comes alone.

caught-by: values
"""

import numpy as np

SUMS = []


def linear_attention_step(state, q_t, k_t, v_t):
    phi = lambda x: np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))
    SUMS.append((phi(k_t), v_t))
    weights = [(phi(q_t) * k).sum(-1, keepdims=True) for k, _ in SUMS]
    return sum(w * v for w, (_, v) in zip(weights, SUMS)) / sum(weights)
