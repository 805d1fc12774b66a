"""Every sample gets the mask of the first.

caught-by: values, gradients
"""

import torch
import torch.nn.functional as F


def multi_head(q, k, v, num_heads, mask=None):
    q, k, v = (x.unflatten(-1, (num_heads, -1)).transpose(-2, -3) for x in (q, k, v))
    if mask is not None and mask.dim() > 2:
        mask = mask[:1]
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(-2, -3).flatten(-2)
