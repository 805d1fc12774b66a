"""A batch is computed through the n × n matrix.

caught-by: operations
"""

import torch
from torch.nn.functional import elu


def linear_attention(q, k, v, causal=False):
    q, k = elu(q) + 1, elu(k) + 1
    if q.dim() > 2:
        scores = q @ k.transpose(-2, -1)
        scores = scores.tril() if causal else scores
        return scores @ v / scores.sum(-1, keepdim=True)
    if not causal:
        return q @ (k.T @ v) / (q @ k.sum(0).unsqueeze(-1))
    sums = torch.cumsum(k.unsqueeze(-1) * v.unsqueeze(-2), 0)
    return torch.einsum("nd,ndv->nv", q, sums) / (q * k.cumsum(0)).sum(-1, keepdim=True)
