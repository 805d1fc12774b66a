import math
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(q, k, v, mask=None):
    "Compute 'Scaled Dot Product Attention'"
    d_k = q.size(-1)
    scores = torch.matmul(q, k.transpose(-2, -1))  #!
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e-9)  #!
    p_attn = F.softmax(scores, dim=-1)
    p_attn = p_attn.nan_to_num(0.0)
    return torch.matmul(p_attn, v)
