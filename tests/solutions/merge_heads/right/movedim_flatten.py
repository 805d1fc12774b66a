"""torch, movedim and flatten."""

import torch


def merge_heads(x):
    return x.movedim(-3, -2).flatten(-2)
