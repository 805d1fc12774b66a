"""Takes eps = 0 for an eps that is not given.

caught-by: values
"""

import numpy as np


def layer_norm(x, gamma, beta, eps=None):
    eps = eps or 1e-5
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps) * gamma + beta
