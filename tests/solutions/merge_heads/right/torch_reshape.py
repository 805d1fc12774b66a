"""torch, transpose and reshape."""

import torch


def merge_heads(x):
    x = x.transpose(-3, -2)
    return x.reshape(*x.shape[:-2], -1)
