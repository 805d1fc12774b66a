"""Divided by the root of d_model.

caught-by: values, gradients
"""

import torch


def ablate_heads(x, w_q, w_k, w_v, w_o, num_heads, keep):
    d = x.shape[-1]
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    heads = torch.softmax(q @ k.mT / d**0.5, dim=-1) @ v * keep[:, None, None]
    return heads.transpose(1, 2).flatten(2) @ w_o
