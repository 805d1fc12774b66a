"""One triangle without another."""

import torch


def sliding_window_mask(n, window):
    ones = torch.ones(n, n, dtype=torch.bool)
    return ones.tril() & ~ones.tril(-window)
