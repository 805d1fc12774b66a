import torch
import torch.nn.functional as F


def self_attention(x, w_q, w_k, w_v, causal=False):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    scores = q @ k.transpose(-2, -1)  #!
    if causal:
        n = x.size(-2)
        future = torch.tril(torch.ones(n, n, dtype=torch.bool), diagonal=-1)  #!
        scores = scores.masked_fill(future, float("-inf"))
    return F.softmax(scores, dim=-1) @ v
