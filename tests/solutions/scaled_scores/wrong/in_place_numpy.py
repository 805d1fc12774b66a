"""The query is scaled in place.

caught-by: unchanged_inputs
"""

import numpy as np


def scaled_scores(q, k):
    q /= np.sqrt(q.shape[-1]).astype(q.dtype)
    return q @ np.swapaxes(k, -1, -2)
