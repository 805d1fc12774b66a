"""NumPy, plain."""

import numpy as np


def hard_lookup(query, keys, values):
    best = np.argmax(query @ np.swapaxes(keys, -1, -2), axis=-1)
    return np.take_along_axis(values, best[..., None], axis=-2)
