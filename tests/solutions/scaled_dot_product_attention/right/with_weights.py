"""Returns the output and, beside it, the weights."""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    d_k = q.shape[-1]
    scores = q @ k.mT / d_k**0.5
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -torch.inf)
    attn = scores.softmax(-1)
    if mask is not None:
        attn = attn * mask.any(-1, keepdim=True)
        attn = torch.where(mask, attn, torch.zeros_like(attn))
    return attn @ v, attn
