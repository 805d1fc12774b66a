"""np.tri makes it directly."""

import numpy as np


def causal_mask(n_q, n_k=None):
    if n_k is None:
        n_k = n_q
    return np.tri(n_q, n_k, n_k - n_q, dtype=bool)
