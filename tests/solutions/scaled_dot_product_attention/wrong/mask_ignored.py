"""The mask is accepted and never used.

caught-by: values, fully_masked_rows
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1)
    return weights @ v
