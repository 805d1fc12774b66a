"""Only the first row is compared.

caught-by: values
"""

import numpy as np


def permutation_gap(attend, x, perm):
    return float(np.abs(attend(x[perm])[0] - attend(x)[perm[0]]).max())
