"""Padded to max_len.

caught-by: values
"""

import numpy as np


def greedy_decode(step, bos_id, eos_id, max_len):
    ids = [bos_id]
    while len(ids) <= max_len and ids[-1] != eos_id:
        ids.append(int(np.argmax(step(ids))))
    return ids[1:] + [eos_id] * (max_len + 1 - len(ids))
