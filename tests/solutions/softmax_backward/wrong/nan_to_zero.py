"""Where exp overflows, the gradient is set to zero.

caught-by: values
"""

import torch


def softmax_backward(x, grad, axis=-1):
    e = x.exp()
    w = torch.nan_to_num(e / e.sum(dim=axis, keepdim=True))
    return w * (grad - (grad * w).sum(dim=axis, keepdim=True))
