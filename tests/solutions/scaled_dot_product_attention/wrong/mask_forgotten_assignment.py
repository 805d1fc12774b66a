"""masked_fill returns a new array, and the result is thrown away.

caught-by: values, fully_masked_rows
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ v
