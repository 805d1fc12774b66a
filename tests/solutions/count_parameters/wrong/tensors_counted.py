"""Counts the tensors, not the numbers in them.

caught-by: values
"""

from torch import nn


def count_parameters(d_model, num_heads, bias=False):
    return len(list(nn.MultiheadAttention(d_model, num_heads, bias=bias).parameters()))
