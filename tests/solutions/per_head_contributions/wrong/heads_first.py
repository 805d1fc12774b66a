"""Stacked in front of the batch.

caught-by: values
"""

import numpy as np


def per_head_contributions(heads, w_o):
    d_k = heads.shape[-1]
    return np.stack([heads[..., i, :, :] @ w_o[i * d_k : (i + 1) * d_k] for i in range(heads.shape[-3])])
