"""torch, one fused projection and einsum; the weights are returned, too."""

import torch


def self_attention(x, w_q, w_k, w_v, causal=False):
    d_k, d_v = w_q.shape[1], w_v.shape[1]
    q, k, v = (x @ torch.cat([w_q, w_k, w_v], dim=1)).split([d_k, d_k, d_v], dim=-1)
    scores = torch.einsum("...id,...jd->...ij", q, k) * d_k**-0.5
    if causal:
        at = torch.arange(x.shape[-2])
        scores = torch.where(at[:, None] >= at, scores, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("...ij,...jd->...id", weights, v), weights
