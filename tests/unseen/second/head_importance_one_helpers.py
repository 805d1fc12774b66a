import torch


def heads_of(x, w, h):
    return (x @ w).unflatten(-1, (h, -1)).transpose(-2, -3)


def attention(q, k, v):
    return torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-1) @ v


def contributions(x, w_q, w_k, w_v, w_o, h):
    out = attention(heads_of(x, w_q, h), heads_of(x, w_k, h), heads_of(x, w_v, h))
    return out @ w_o.unflatten(0, (h, -1))


def head_importance(x, w_q, w_k, w_v, w_o, num_heads):
    parts = contributions(x, w_q, w_k, w_v, w_o, num_heads)
    return parts.pow(2).sum(dim=(2, 3)).sqrt().mean(dim=0)  #!
