"""The maximum of the whole array is taken off, so rows with far lower scores underflow.

caught-by: values
"""

import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    exps = np.exp(scores - scores.max())
    if mask is not None:
        exps = exps * mask
    total = exps.sum(axis=-1, keepdims=True)
    return exps / np.where(total > 0, total, 1) @ v
