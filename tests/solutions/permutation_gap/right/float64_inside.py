"""Everything in float64."""

import torch


def permutation_gap(attend, x, perm):
    x = x.double()
    return (attend(x[perm]) - attend(x)[perm]).abs().max().item()
