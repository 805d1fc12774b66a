"""The largest length of a row of the difference.

caught-by: values
"""

import torch


def permutation_gap(attend, x, perm):
    return (attend(x[perm]) - attend(x)[perm]).norm(dim=-1).max().item()
