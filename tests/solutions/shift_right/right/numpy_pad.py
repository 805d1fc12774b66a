"""Padding in front."""

import numpy as np


def shift_right(tokens, bos_id):
    widths = [(0, 0)] * (tokens.ndim - 1) + [(1, 0)]
    return np.pad(tokens, widths, constant_values=bos_id)[..., :-1]
