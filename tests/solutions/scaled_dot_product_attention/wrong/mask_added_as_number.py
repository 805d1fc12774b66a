"""The mask is added to the scores as if it were already 0 and minus infinity.

caught-by: values, fully_masked_rows
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores + mask.to(scores.dtype)
    return torch.softmax(scores, dim=-1) @ v
