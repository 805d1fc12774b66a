"""The number of keys is taken to be that of the queries.

caught-by: values
"""

import torch
import torch.nn.functional as F


def multi_head(q, k, v, num_heads, mask=None):
    n = q.shape[-2]
    q, k, v = (x.reshape(*q.shape[:-2], n, num_heads, -1).transpose(-2, -3) for x in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(-2, -3).flatten(-2)
