"""Looks at the width, and searches greedily.

caught-by: values
"""

import numpy as np


def beam_search(step, bos_id, eos_id, max_len, beam_width):
    ids = [bos_id]
    while len(ids) <= max_len and (len(ids) == 1 or ids[-1] != eos_id):
        ids.append(int(np.argsort(step(ids))[-beam_width:][-1]))
    return ids[1:]
