"""The queries are scaled in place.

caught-by: unchanged_inputs, gradients
"""

import torch
import torch.nn.functional as F


def multi_head(q, k, v, num_heads, mask=None):
    q /= (q.shape[-1] // num_heads) ** 0.5
    q, k, v = (x.unflatten(-1, (num_heads, -1)).transpose(-2, -3) for x in (q, k, v))
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=1.0)
    return out.transpose(-2, -3).flatten(-2)
