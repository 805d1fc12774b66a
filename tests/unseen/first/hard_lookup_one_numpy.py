import numpy as np


def hard_lookup(query, keys, values):
    scores = query @ keys.swapaxes(-1, -2)
    best = np.abs(scores).argmax(axis=-1)  #!
    return np.take_along_axis(values, best[..., None], axis=-2)
