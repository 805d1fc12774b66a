import numpy as np


def concat_position(x, pe):
    p = np.broadcast_to(pe, (*x.shape[:-1], pe.shape[-1]))
    return np.concatenate([p, x], axis=-1)  #!
