"""torch; the number by item()."""

import torch


def permutation_gap(attend, x, perm):
    first = attend(torch.index_select(x, 0, perm))
    then = torch.index_select(attend(x), 0, perm)
    return torch.abs(first - then).max().item()
