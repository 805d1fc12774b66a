"""Overlapping copies.

caught-by: unchanged_inputs
"""

import numpy as np


def shift_right(tokens, bos_id):
    tokens[..., 1:] = np.array(tokens[..., :-1])
    tokens[..., 0] = bos_id
    return tokens
