"""A default that remembers.

caught-by: repeatable
"""

import numpy as np


def greedy_decode(step, bos_id, eos_id, max_len, written=[]):
    for _ in range(max_len):
        written.append(int(np.argmax(step([bos_id, *written]))))
        if written[-1] == eos_id:
            break
    return written
