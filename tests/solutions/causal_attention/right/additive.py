"""Two additive masks, −∞ each."""

import torch


def causal_attention(q, k, v, key_padding=None):
    n = q.size(-2)
    bias = torch.full((n, n), float("-inf"), dtype=q.dtype).triu(1)
    if key_padding is not None:
        padding = torch.zeros(key_padding.shape, dtype=q.dtype).masked_fill(~key_padding, float("-inf"))
        for _ in range(q.dim() - 2):
            padding = padding.unsqueeze(1)
        bias = bias + padding
    scores = torch.einsum("...id,...jd->...ij", q, k) * q.size(-1) ** -0.5 + bias
    top = scores.amax(-1, keepdim=True).clamp(min=torch.finfo(q.dtype).min)
    weights = (scores - top).exp()
    return (weights / weights.sum(-1, keepdim=True).clamp(min=1e-30)) @ v
