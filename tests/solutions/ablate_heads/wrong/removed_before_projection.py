"""The features of the token are removed, not the head.

caught-by: values, gradients
"""

import torch
import torch.nn.functional as F


def ablate_heads(x, w_q, w_k, w_v, w_o, num_heads, keep):
    d_k = x.shape[-1] // num_heads
    x = x * keep.repeat_interleave(d_k)
    q, k, v = ((x @ w).unflatten(-1, (num_heads, d_k)).transpose(1, 2) for w in (w_q, w_k, w_v))
    return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2) @ w_o
