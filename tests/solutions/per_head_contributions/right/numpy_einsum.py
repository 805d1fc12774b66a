"""NumPy, einsum."""

import numpy as np


def per_head_contributions(heads, w_o):
    h, d_k = heads.shape[-3], heads.shape[-1]
    return np.einsum("...hnd,hdm->...hnm", heads, w_o.reshape(h, d_k, -1))
