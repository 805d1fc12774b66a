"""torch, heads multiplied by keep."""

import torch


def ablate_heads(x, w_q, w_k, w_v, w_o, num_heads, keep):
    b, n, d = x.shape

    def split(y):
        return y.view(b, n, num_heads, d // num_heads).transpose(1, 2)

    q, k, v = split(x @ w_q), split(x @ w_k), split(x @ w_v)
    weights = torch.softmax(q @ k.transpose(-2, -1) / (d // num_heads) ** 0.5, dim=-1)
    heads = weights @ v * keep.view(1, -1, 1, 1)
    return heads.transpose(1, 2).reshape(b, n, d) @ w_o
