import torch
import torch.nn.functional as F


def scaled_dot_product_attention(q, k, v, mask=None):
    logits = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2)
    if mask is None:
        weights = F.softmax(logits, dim=-1)
    else:
        # a very low number instead of -inf keeps a row without keys free of NaN; then it is cleared
        weights = F.softmax(logits.masked_fill(~mask, torch.finfo(logits.dtype).min), dim=-1)
        weights = weights * mask
    return weights @ v, weights
