"""Half a softmax: the row's maximum is taken off already.

caught-by: values
"""

import numpy as np


def scaled_scores(q, k):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    return scores - scores.max(axis=-1, keepdims=True)
