"""The axes of group and head exchanged: reshaped to (h / h_kv, h_kv).

caught-by: values
"""

import torch.nn.functional as F


def grouped_query_attention(q, k, v, mask=None):
    h, h_kv = q.shape[-3], k.shape[-3]
    if h % h_kv:
        raise ValueError
    grouped = q.unflatten(-3, (h // h_kv, h_kv))
    mask = None if mask is None else mask.unsqueeze(-4) if mask.ndim > 2 else mask
    return F.scaled_dot_product_attention(grouped, k.unsqueeze(-4), v.unsqueeze(-4), attn_mask=mask).flatten(-4, -3)
