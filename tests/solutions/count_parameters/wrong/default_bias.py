"""The module's own default, which is to have biases.

caught-by: values
"""

from torch import nn


def count_parameters(d_model, num_heads, bias=False):
    return sum(p.numel() for p in nn.MultiheadAttention(d_model, num_heads).parameters())
