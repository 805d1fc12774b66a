import math
import torch
import torch.nn.functional as F


def causal_attention(q, k, v, key_padding=None):
    n_q, n_k = q.size(-2), k.size(-2)
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
    allowed = torch.tril(torch.ones(n_q, n_k, dtype=torch.bool), diagonal=n_k - n_q + 1)  #!
    if key_padding is not None:
        pad = key_padding[:, None, :] if q.dim() == 3 else key_padding[:, None, None, :]
        allowed = allowed & pad
    scores = scores.masked_fill(~allowed, float("-inf"))
    weights = F.softmax(scores, dim=-1).nan_to_num(0.0)
    return torch.matmul(weights, v)
