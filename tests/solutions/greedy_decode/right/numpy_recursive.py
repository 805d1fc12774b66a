"""By recursion, with arrays."""

import numpy as np


def greedy_decode(step, bos_id, eos_id, max_len):
    def written(ids, left):
        if left == 0:
            return []
        token = np.asarray(step(ids)).argmax()
        return [token] if token == eos_id else [token, *written(np.append(ids, token), left - 1)]

    return written(np.array([bos_id]), max_len)
