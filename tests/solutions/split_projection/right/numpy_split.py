"""np.split."""

import numpy as np


def split_projection(w, d_model):
    w_x, w_p = np.split(w, [d_model], axis=0)
    return w_x, w_p
