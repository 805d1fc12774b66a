"""Keeps the mask for each n, whatever the window.

caught-by: values
"""

import numpy as np

MASKS = {}


def sliding_window_mask(n, window):
    if n not in MASKS:
        distance = np.arange(n)[:, None] - np.arange(n)
        MASKS[n] = (distance >= 0) & (distance < window)
    return MASKS[n]
