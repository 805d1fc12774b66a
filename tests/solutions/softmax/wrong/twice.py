"""The softmax of the softmax.

caught-by: values, gradients
"""

import torch


def softmax(x, axis=-1):
    return torch.softmax(torch.softmax(x, dim=axis), dim=axis)
