import numpy as np


def per_head_contributions(heads, w_o):
    h, n, d_k = heads.shape[-3:]
    blocks = w_o.reshape(d_k, h, -1)  #!
    return np.einsum("...hnd,dhm->...hnm", heads, blocks)  #!
