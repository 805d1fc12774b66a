"""A running mean of the values in place of causal attention.

caught-by: values, gradients
"""

import torch


def self_attention(x, w_q, w_k, w_v, causal=False):
    v = x @ w_v
    if causal:
        return v.cumsum(dim=-2) / torch.arange(1, x.shape[-2] + 1).unsqueeze(-1)
    scores = (x @ w_q) @ (x @ w_k).transpose(-2, -1) / w_q.shape[1] ** 0.5
    return scores.softmax(dim=-1) @ v
