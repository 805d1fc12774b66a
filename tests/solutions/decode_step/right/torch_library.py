"""The library's attention; the weights are not asked for."""

import torch.nn.functional as F


def decode_step(x_t, cache, w_q, w_k, w_v):
    k, v = cache.append(F.linear(x_t, w_k.T), F.linear(x_t, w_v.T))
    return F.scaled_dot_product_attention(x_t @ w_q, k, v)
