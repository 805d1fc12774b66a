"""torch, each head alone: the output is a sum, so that is the change."""

import torch
import torch.nn.functional as F


def head_importance(x, w_q, w_k, w_v, w_o, num_heads):
    parts = zip(*(w.chunk(num_heads, dim=1) for w in (w_q, w_k, w_v)), w_o.chunk(num_heads, dim=0), strict=True)
    changes = [F.scaled_dot_product_attention(x @ q, x @ k, x @ v) @ o for q, k, v, o in parts]
    return torch.stack([change.pow(2).sum().sqrt() for change in changes])
