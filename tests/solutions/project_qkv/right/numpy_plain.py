"""NumPy, plain."""

import numpy as np


def project_qkv(x, w_q, w_k, w_v):
    q, k, v = (np.matmul(x, w) for w in (w_q, w_k, w_v))
    return q, k, v
