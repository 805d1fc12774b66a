import numpy as np


def causal_mask(n_q, n_k=None):
    # 没有给 n_k 时,掩码是方阵
    if n_k is None:
        n_k = n_q
    # 下三角  #!
    return np.tril(np.ones((n_q, n_k), dtype=bool))  #!
