"""The triangle that is blocked.

caught-by: values
"""

import numpy as np


def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.triu(np.ones((n_q, n_k), dtype=bool), k=1 + n_k - n_q)
