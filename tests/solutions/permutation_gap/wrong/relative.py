"""Divided by the size of the results.

caught-by: values
"""

import numpy as np


def permutation_gap(attend, x, perm):
    y = attend(x)[perm]
    return float(np.abs(attend(x[perm]) - y).max() / np.abs(y).max())
