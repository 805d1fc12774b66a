"""Every query gets the plain mean of all values.

caught-by: values
"""

import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None):
    mean = v.mean(axis=-2, keepdims=True)
    return np.broadcast_to(mean, q.shape[:-1] + v.shape[-1:])
