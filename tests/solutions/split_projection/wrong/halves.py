"""Two halves.

caught-by: values
"""

import numpy as np


def split_projection(w, d_model):
    return tuple(np.array_split(w, 2))
