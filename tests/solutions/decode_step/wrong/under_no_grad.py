"""As in generation, under no_grad.

caught-by: gradients
"""

import torch
import torch.nn.functional as F


@torch.no_grad()
def decode_step(x_t, cache, w_q, w_k, w_v):
    k, v = cache.append(x_t @ w_k, x_t @ w_v)
    return F.scaled_dot_product_attention(x_t @ w_q, k, v)
