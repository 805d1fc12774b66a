"""Only the first head survives.

caught-by: values, gradients
"""

import torch


def merge_heads(x):
    return x.select(-3, 0)
