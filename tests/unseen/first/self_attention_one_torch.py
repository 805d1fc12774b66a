import math

import torch


def self_attention(x, w_q, w_k, w_v, causal=False):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    s = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])
    if causal:
        n = x.shape[-2]
        s = s.masked_fill(torch.ones(n, n).triu(0).bool(), float("-inf"))  #!
    return torch.nan_to_num(torch.softmax(s, -1)) @ v
