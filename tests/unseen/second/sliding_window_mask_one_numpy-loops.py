import numpy as np


def sliding_window_mask(n, window):
    mask = np.zeros((n, n), dtype=bool)
    for i in range(n):
        first = max(0, i - window)  #!
        for j in range(first, i + 1):
            mask[i, j] = True
    return mask
