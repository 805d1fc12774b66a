"""Drops the token that crosses p, and keeps the first one by hand.

caught-by: values
"""

import torch


def top_p_filter(logits, p):
    values, order = torch.sort(logits, dim=-1, descending=True)
    drop = values.softmax(-1).cumsum(-1) > p
    drop[..., 0] = False
    drop = torch.zeros_like(drop).scatter(-1, order, drop)
    return logits.masked_fill(drop, float("-inf")).softmax(-1)
