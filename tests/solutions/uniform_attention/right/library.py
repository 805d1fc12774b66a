"""torch's attention with queries of zero."""

import torch
import torch.nn.functional as F


def uniform_attention(values):
    return F.scaled_dot_product_attention(torch.zeros_like(values), values, values)
