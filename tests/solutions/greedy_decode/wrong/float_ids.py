"""Ids are kept in an array of floats.

caught-by: values
"""

import numpy as np


def greedy_decode(step, bos_id, eos_id, max_len):
    out = np.zeros(max_len + 1)
    out[0] = bos_id
    for at in range(1, max_len + 1):
        out[at] = np.argmax(step([int(token) for token in out[:at]]))
        if out[at] == eos_id:
            return list(out[1 : at + 1])
    return list(out[1:])
