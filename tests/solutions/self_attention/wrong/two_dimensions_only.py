"""Written for one sentence.

caught-by: values
"""

import torch


def self_attention(x, w_q, w_k, w_v, causal=False):
    scores = (x @ w_q) @ (x @ w_k).T / w_q.shape[1] ** 0.5
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores).triu(1) > 0, float("-inf"))
    return scores.softmax(dim=-1) @ (x @ w_v)
