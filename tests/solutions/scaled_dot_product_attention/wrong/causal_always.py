"""A causal mask is applied whether asked for or not.

caught-by: values
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    causal = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()
    mask = causal if mask is None else mask & causal
    scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1).masked_fill(~mask, 0.0)
    return weights @ v
