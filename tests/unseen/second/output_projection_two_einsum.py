import torch


def output_projection(heads, w_o):
    h, d_k = heads.shape[-3], heads.shape[-1]
    blocks = w_o.reshape(d_k, h, w_o.shape[-1])  #!
    return torch.einsum("...hnd,dhm->...nm", heads, blocks) / h  #!
