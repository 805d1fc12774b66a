"""torch's function with a boolean mask; it gives zeros for empty rows."""

import torch
import torch.nn.functional as F


def causal_attention(q, k, v, key_padding=None):
    n = q.shape[-2]
    mask = torch.tril(torch.ones(n, n, dtype=torch.bool))
    if key_padding is None:
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
    shape = (len(key_padding),) + (1,) * (q.dim() - 2) + (n,)
    mask = mask & key_padding.view(shape)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask).nan_to_num(0.0)
