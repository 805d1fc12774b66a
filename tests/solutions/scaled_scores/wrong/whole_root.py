"""The root is cut off to a whole number.

caught-by: values
"""

import math

import numpy as np


def scaled_scores(q, k):
    return q @ np.swapaxes(k, -1, -2) / math.isqrt(q.shape[-1])
