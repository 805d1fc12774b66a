"""Right values by way of the matrix.

caught-by: operations
"""

import torch
import torch.nn.functional as F


def linear_attention(q, k, v, causal=False):
    a = torch.einsum("...nd,...md->...nm", F.elu(q) + 1, F.elu(k) + 1)
    a = a.tril() if causal else a
    return torch.einsum("...nm,...me->...ne", a / a.sum(-1, keepdim=True), v)
