"""NumPy, one head after the other, as slices."""

import numpy as np


def ov_matrices(w_v, w_o, num_heads):
    d_k = w_v.shape[1] // num_heads
    own = [slice(i * d_k, (i + 1) * d_k) for i in range(num_heads)]
    return np.stack([w_v[:, part] @ w_o[part] for part in own])
