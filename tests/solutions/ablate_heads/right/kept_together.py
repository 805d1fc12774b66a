"""torch, only the kept heads are computed, with the rows that belong to them."""

import torch
import torch.nn.functional as F


def ablate_heads(x, w_q, w_k, w_v, w_o, num_heads, keep):
    d = x.shape[-1]
    columns = keep.repeat_interleave(d // num_heads)
    kept = int(keep.sum())
    if kept == 0:
        return torch.zeros_like(x)
    q, k, v = ((x @ w[:, columns]).unflatten(-1, (kept, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2) @ w_o[columns]
