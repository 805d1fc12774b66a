"""The columns are reordered.

caught-by: values
"""

import numpy as np


def permutation_gap(attend, x, perm):
    return float(np.abs(attend(x[:, perm]) - attend(x)[:, perm]).max())
