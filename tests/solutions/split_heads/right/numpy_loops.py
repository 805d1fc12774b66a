"""NumPy, one head after the other."""

import numpy as np


def split_heads(x, num_heads):
    *batch, n, d_model = x.shape
    d_k, rest = divmod(d_model, num_heads)
    if rest:
        raise ValueError(f"{num_heads} heads do not fit into {d_model} features")
    result = np.empty((*batch, num_heads, n, d_k), dtype=x.dtype)
    for i in range(num_heads):
        result[..., i, :, :] = x[..., i * d_k : (i + 1) * d_k]
    return result
