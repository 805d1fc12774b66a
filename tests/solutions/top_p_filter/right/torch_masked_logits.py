"""The logits outside the nucleus become minus infinity, and the softmax does the rest."""

import torch


def top_p_filter(logits, p):
    values, order = torch.sort(logits, dim=-1, descending=True)
    cumulative = values.softmax(-1).cumsum(-1)
    drop = torch.roll(cumulative >= p, 1, dims=-1)
    drop[..., 0] = False
    drop = torch.zeros_like(drop).scatter(-1, order, drop)
    return logits.masked_fill(drop, float("-inf")).softmax(-1)
