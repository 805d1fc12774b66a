"""Both branches of elu are computed, and inf times 0 is NaN.

caught-by: values
"""

import torch


def phi(x):
    return (x > 0) * (x + 1) + (x <= 0) * torch.exp(x)


def linear_attention(q, k, v, causal=False):
    q, k = phi(q), phi(k)
    if not causal:
        return q @ (k.transpose(-2, -1) @ v) / (q @ k.sum(-2).unsqueeze(-1))
    sums = (k.unsqueeze(-1) * v.unsqueeze(-2)).cumsum(-3)
    total = (q * k.cumsum(-2)).sum(-1, keepdim=True)
    return (q.unsqueeze(-2) @ sums).squeeze(-2) / total
