"""Entry by entry."""

import numpy as np


def sliding_window_mask(n, window):
    mask = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for j in range(max(0, i - window + 1), i + 1):
            mask[i, j] = True
    return mask
