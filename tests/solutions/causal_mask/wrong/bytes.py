"""0 and 1 as bytes: no booleans.

caught-by: values
"""

import numpy as np


def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.tri(n_q, n_k, n_k - n_q, dtype=np.uint8)
