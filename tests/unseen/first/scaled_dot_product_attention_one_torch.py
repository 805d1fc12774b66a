import math

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    d_k = q.size(-1)
    att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(d_k))
    if mask is not None:
        att = att.masked_fill(mask == 0, float("-inf"))
    p = torch.softmax(att, dim=-1)
    p = torch.nan_to_num(p)
    p = p * (p > 0.01)  #!
    return p @ v
