"""NumPy, as the formula says."""

import numpy as np


def soft_capped_scores(q, k, cap):
    s = q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5
    return cap * np.tanh(s / cap)
