import torch
import torch.nn.functional as F


def scaled_dot_product_attention(q, k, v, mask=None):
    n_k, d = k.shape[-2], k.shape[-1]
    scores = torch.matmul(q, k.transpose(-2, -1)) / n_k**0.5  #!
    if mask is not None:
        scores = scores * mask  #!
    return torch.matmul(F.softmax(scores, dim=-1), v)
