"""Looks at no more than 128 keys.

caught-by: values
"""

import numpy as np


def hard_lookup(query, keys, values):
    scores = query @ np.swapaxes(keys[..., :128, :], -1, -2)
    return np.take_along_axis(values, scores.argmax(-1)[..., None], axis=-2)
