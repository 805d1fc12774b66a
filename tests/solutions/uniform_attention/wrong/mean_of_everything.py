"""One number for everything.

caught-by: values, gradients
"""

import torch


def uniform_attention(values):
    return torch.ones_like(values) * values.mean()
