"""The reordered results are put back into the old order."""

import torch


def permutation_gap(attend, x, perm):
    back = torch.argsort(perm)
    return float((attend(x[perm])[back] - attend(x)).abs().amax())
