"""A tensor without dimensions is a number, too."""

import torch


def permutation_gap(attend, x, perm):
    return torch.linalg.vector_norm(attend(x[perm]) - attend(x)[perm], ord=float("inf"))
