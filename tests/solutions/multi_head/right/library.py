"""torch, the library's attention on four or more dimensions."""

import torch
import torch.nn.functional as F


def multi_head(q, k, v, num_heads, mask=None):
    q, k, v = (x.unflatten(-1, (num_heads, -1)).movedim(-2, -3) for x in (q, k, v))
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return torch.cat(out.unbind(dim=-3), dim=-1)
