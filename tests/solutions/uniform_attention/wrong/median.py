"""The median instead of the mean.

caught-by: values
"""

import numpy as np


def uniform_attention(values):
    return np.broadcast_to(np.median(values, axis=-2, keepdims=True), values.shape)
