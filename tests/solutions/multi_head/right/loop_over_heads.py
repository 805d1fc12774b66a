"""torch, one head after the other; a mask of three dimensions is taken for (batch, n_q, n_k)."""

import torch
import torch.nn.functional as F


def multi_head(q, k, v, num_heads, mask=None):
    if mask is None or mask.dim() < 4:
        masks = [mask] * num_heads
    else:
        masks = mask.expand(-1, num_heads, -1, -1).unbind(1)
    triples = zip(q.chunk(num_heads, -1), k.chunk(num_heads, -1), v.chunk(num_heads, -1), strict=True)
    heads = [F.scaled_dot_product_attention(*qkv, attn_mask=one) for qkv, one in zip(triples, masks, strict=True)]
    return torch.cat(heads, dim=-1)
