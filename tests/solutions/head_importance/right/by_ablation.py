"""torch, the output with all heads and without each."""

import torch
import torch.nn.functional as F


def _heads(x, w_q, w_k, w_v, num_heads):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    return F.scaled_dot_product_attention(q, k, v)


def head_importance(x, w_q, w_k, w_v, w_o, num_heads):
    heads = _heads(x, w_q, w_k, w_v, num_heads)
    full = heads.transpose(1, 2).flatten(2) @ w_o
    norms = []
    for i in range(num_heads):
        others = torch.arange(num_heads) != i
        without = (heads * others[:, None, None]).transpose(1, 2).flatten(2) @ w_o
        norms.append(torch.linalg.vector_norm(full - without))
    return torch.stack(norms)
