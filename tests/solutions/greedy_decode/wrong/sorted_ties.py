"""The last of the sorted.

caught-by: values
"""

import numpy as np


def greedy_decode(step, bos_id, eos_id, max_len):
    ids = [bos_id]
    for _ in range(max_len):
        ids.append(int(np.argsort(step(ids), kind="stable")[-1]))
        if ids[-1] == eos_id:
            break
    return ids[1:]
