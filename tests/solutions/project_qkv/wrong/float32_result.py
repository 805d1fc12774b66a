"""Everything becomes float32.

caught-by: dtype
"""

import numpy as np


def project_qkv(x, w_q, w_k, w_v):
    return tuple((x @ w).astype(np.float32) for w in (w_q, w_k, w_v))
