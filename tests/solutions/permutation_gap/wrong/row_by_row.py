"""One number for each row.

caught-by: values
"""

import numpy as np


def permutation_gap(attend, x, perm):
    return np.abs(attend(x[perm]) - attend(x)[perm]).max(axis=-1)
