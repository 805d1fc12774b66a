import math

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
    if mask is not None:
        # True means: hide this key
        scores = scores.masked_fill(mask, float("-inf"))
    return torch.nan_to_num(torch.softmax(scores, dim=-1)) @ v
