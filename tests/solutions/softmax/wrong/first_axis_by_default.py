"""The default is the first axis.

caught-by: values
"""

import torch


def softmax(x, axis=0):
    return torch.softmax(x, dim=axis)
