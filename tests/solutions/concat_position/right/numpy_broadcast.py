"""NumPy."""

import numpy as np


def concat_position(x, pe):
    return np.concatenate([x, np.broadcast_to(pe, x.shape[:-1] + pe.shape[-1:])], axis=-1)
