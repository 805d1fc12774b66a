"""Cosines instead of dot products.

caught-by: values
"""

import numpy as np


def hard_lookup(query, keys, values):
    keys = keys / np.linalg.norm(keys, axis=-1, keepdims=True)
    best = np.argmax(query @ np.swapaxes(keys, -1, -2), axis=-1)
    return np.take_along_axis(values, best[..., None], axis=-2)
