"""NumPy arrays are handed to attend, although tensors came in."""

import numpy as np
import torch


def permutation_gap(attend, x, perm):
    x, perm = np.array(x), np.array(perm)
    return float(np.abs(attend(x[perm]) - attend(x)[perm]).max())
