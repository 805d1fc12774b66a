"""The denominator is summed over the batch as well.

caught-by: values
"""

import torch.nn.functional as F


def linear_attention(q, k, v, causal=False):
    q, k = F.elu(q) + 1, F.elu(k) + 1
    if causal:
        kv, z = (k[..., None] * v[..., None, :]).cumsum(-3), k.cumsum(0)
        return (q[..., None, :] @ kv)[..., 0, :] / (q * z).sum(-1, keepdim=True)
    return q @ (k.mT @ v) / (q * k.reshape(-1, k.shape[-1]).sum(0)).sum(-1, keepdim=True)
