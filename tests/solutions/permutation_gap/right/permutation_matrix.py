"""The permutation as a matrix."""

import numpy as np


def permutation_gap(attend, x, perm):
    p = np.eye(len(perm), dtype=x.dtype)[perm]
    return np.abs(attend(p @ x) - p @ attend(x)).max()
