"""NumPy, plain."""

import numpy as np


def permutation_gap(attend, x, perm):
    return float(np.max(np.abs(attend(x[perm]) - attend(x)[perm])))
