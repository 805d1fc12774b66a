"""NumPy, with two lists of indices."""

import numpy as np


def previous_token_score(weights):
    keys = np.arange(weights.shape[-1] - 1)
    return weights[:, :, keys + 1, keys].mean(axis=(0, 2))
