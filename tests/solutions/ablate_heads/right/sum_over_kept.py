"""torch, the contributions of the kept heads added up."""

import torch
import torch.nn.functional as F


def ablate_heads(x, w_q, w_k, w_v, w_o, num_heads, keep):
    d_k = x.shape[-1] // num_heads
    total = torch.zeros_like(x)
    for i in range(num_heads):
        if keep[i]:
            own = slice(i * d_k, (i + 1) * d_k)
            total = total + F.scaled_dot_product_attention(x @ w_q[:, own], x @ w_k[:, own], x @ w_v[:, own]) @ w_o[own]
    return total
