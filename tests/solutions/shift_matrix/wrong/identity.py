"""Nothing moves.

caught-by: shifts
"""

import numpy as np


def shift_matrix(delta, d_model, base=10000.0):
    return np.eye(d_model)
