"""NumPy, with named axes."""

import numpy as np


def ov_matrices(w_v, w_o, num_heads):
    rows, columns = w_v.shape[0], w_o.shape[1]
    return np.einsum("xhd,hdy->hxy", w_v.reshape(rows, num_heads, -1), w_o.reshape(num_heads, -1, columns))
