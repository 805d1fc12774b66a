"""NumPy, the mean broadcast over the positions."""

import numpy as np


def uniform_attention(values):
    return np.broadcast_to(values.mean(axis=-2, keepdims=True), values.shape)
