"""More optional arguments than asked for, and other names for the first three."""

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None, *, scale=None, dropout_p=0.0, need_weights=False):
    scale = scale if scale is not None else query.size(-1) ** -0.5
    scores = torch.matmul(query, key.transpose(-2, -1)) * scale
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = F.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0)
    weights = F.dropout(weights, p=dropout_p)
    output = torch.matmul(weights, value)
    return (output, weights) if need_weights else output
