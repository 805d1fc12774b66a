"""The best score so far starts at 0, so negative ones never win.

caught-by: values
"""

import numpy as np


def hard_lookup(query, keys, values):
    scores = np.maximum(query @ np.swapaxes(keys, -1, -2), 0)
    best = scores.argmax(axis=-1)
    return np.take_along_axis(values, best[..., None], axis=-2)
