""".T turns all axes round.

caught-by: values
"""

import numpy as np


def scaled_scores(q, k):
    return q @ k.T / np.sqrt(q.shape[-1])
