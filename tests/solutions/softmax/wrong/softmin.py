"""The sign is lost with the shift: the smallest gets the most.

caught-by: values, gradients
"""

import torch


def softmax(x, axis=-1):
    return torch.softmax(x.amax(axis, keepdim=True) - x, dim=axis)
