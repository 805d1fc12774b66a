"""Rebuilt from numbers: the graph is lost.

caught-by: gradients
"""

import torch


def uniform_attention(values):
    return torch.tensor(values.mean(dim=-2, keepdim=True).tolist(), dtype=values.dtype).expand(values.shape)
