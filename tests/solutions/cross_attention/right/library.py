"""torch, the library's attention; the weights last."""

import torch.nn.functional as F


def cross_attention(x, memory, w_q, w_k, w_v):
    return F.scaled_dot_product_attention(F.linear(x, w_q.T), F.linear(memory, w_k.T), F.linear(memory, w_v.T))
