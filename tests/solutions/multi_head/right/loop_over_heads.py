"""torch, one head after the other; a mask of three dimensions is taken for (batch, n_q, n_k)."""

import torch
import torch.nn.functional as F


def multi_head(q, k, v, num_heads, mask=None):
    if mask is not None and mask.dim() == 4:
        mask = mask[:, 0]
    triples = zip(q.chunk(num_heads, -1), k.chunk(num_heads, -1), v.chunk(num_heads, -1), strict=True)
    heads = [F.scaled_dot_product_attention(*triple, attn_mask=mask) for triple in triples]
    return torch.cat(heads, dim=-1)
