"""A causal mask made once, for at most 128 tokens.

caught-by: values
"""

import torch

MASK = torch.ones(128, 128, dtype=torch.bool).tril()


def self_attention(x, w_q, w_k, w_v, causal=False):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if causal:
        n = x.shape[-2]
        scores = scores.masked_fill(~MASK[:n, :n], -torch.inf)
    return torch.softmax(scores, dim=-1) @ v
