"""Says whether, not how much.

caught-by: values
"""

import numpy as np


def permutation_gap(attend, x, perm):
    return not np.allclose(attend(x[perm]), attend(x)[perm], atol=1e-6)
