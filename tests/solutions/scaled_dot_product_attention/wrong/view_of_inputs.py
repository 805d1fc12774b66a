"""The leading dimensions are merged by view, which needs contiguous memory.

caught-by: non_contiguous
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    lead, n_q, n_k = q.shape[:-2], q.shape[-2], k.shape[-2]
    q, k, v = (x.view(-1, x.shape[-2], x.shape[-1]) for x in (q, k, v))
    scores = torch.bmm(q, k.transpose(1, 2)) / q.shape[-1] ** 0.5
    if mask is not None:
        mask = mask.expand(*lead, n_q, n_k).reshape(-1, n_q, n_k)
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return torch.bmm(weights, v).view(*lead, n_q, v.shape[-1])
