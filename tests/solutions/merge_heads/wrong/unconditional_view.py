"""Splits again what is to be merged: a view with the sizes of the split.

caught-by: values
"""

import torch


def merge_heads(x):
    *batch, h, n, d_k = x.shape
    return x.contiguous().view(*batch, n, h, d_k).flatten(-2)
