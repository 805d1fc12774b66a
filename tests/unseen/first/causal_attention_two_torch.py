import torch


def causal_attention(q, k, v, key_padding=None):
    n = q.shape[-2]
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril(1)  #!
    if key_padding is not None:
        allowed = allowed | key_padding[..., None, :]  #!
    s = s.masked_fill(~allowed, float("-inf"))
    return torch.nan_to_num(s.softmax(-1)) @ v
