"""torch, einsum; the causal sums by cumsum, with a small number in the denominator."""

import torch
import torch.nn.functional as F


def linear_attention(q, k, v, causal=False):
    q, k = F.elu(q) + 1, F.elu(k) + 1
    if causal:
        kv = torch.einsum("...nd,...ne->...nde", k, v).cumsum(-3)
        z = k.cumsum(-2)
        return torch.einsum("...nd,...nde->...ne", q, kv) / (torch.einsum("...nd,...nd->...n", q, z)[..., None] + 1e-6)
    kv = torch.einsum("...nd,...ne->...de", k, v)
    z = torch.einsum("...nd,...d->...n", q, k.sum(-2))
    return torch.einsum("...nd,...de->...ne", q, kv) / (z[..., None] + 1e-6)
