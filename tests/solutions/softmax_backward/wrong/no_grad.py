"""Correct numbers without a graph.

caught-by: gradients
"""

import torch


def softmax_backward(x, grad, axis=-1):
    with torch.no_grad():
        w = torch.softmax(x, dim=axis)
        return w * (grad - (grad * w).sum(dim=axis, keepdim=True))
