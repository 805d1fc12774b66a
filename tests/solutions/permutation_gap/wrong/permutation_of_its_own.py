"""perm is not used.

caught-by: values
"""

import torch


def permutation_gap(attend, x, perm):
    perm = torch.randperm(len(x))
    return (attend(x[perm]) - attend(x)[perm]).abs().max().item()
