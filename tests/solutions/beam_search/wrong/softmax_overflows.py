"""exp without taking off the maximum overflows for large logits.

caught-by: values
"""

import numpy as np


def beam_search(step, bos_id, eos_id, max_len, beam_width):
    beam = [(0.0, [])]
    for _ in range(max_len):
        longer = []
        for score, ids in beam:
            if ids and ids[-1] == eos_id:
                longer.append((score, ids))
                continue
            with np.errstate(all="ignore"):
                weights = np.exp(np.asarray(step([bos_id, *ids])))
                gains = np.log(weights / weights.sum())
            longer += [(score + gain, [*ids, token]) for token, gain in enumerate(gains.tolist())]
        beam = sorted(longer, key=lambda one: one[0], reverse=True)[:beam_width]
    return beam[0][1]
