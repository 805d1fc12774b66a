"""Always along the last axis.

caught-by: values
"""

import torch


def softmax_backward(x, grad, axis=-1):
    w = torch.softmax(x, dim=-1)
    return w * (grad - (grad * w).sum(dim=-1, keepdim=True))
