"""The gradient of the cross-entropy with soft labels.

caught-by: values
"""

import torch


def softmax_backward(x, grad, axis=-1):
    return torch.softmax(x, dim=axis) - grad
