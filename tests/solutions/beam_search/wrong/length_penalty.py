"""With the correction for length of translation systems.

caught-by: values
"""

import numpy as np


def beam_search(step, bos_id, eos_id, max_len, beam_width):
    beam, ended = [(0.0, [])], []
    for _ in range(max_len):
        found = []
        for score, ids in beam:
            logits = step([bos_id, *ids])
            log_p = logits - logits.max() - np.log(np.exp(logits - logits.max()).sum())
            found += [(score + float(gain), [*ids, token]) for token, gain in enumerate(log_p)]
        found.sort(reverse=True)
        ended += [one for one in found[:beam_width] if one[1][-1] == eos_id]
        beam = [one for one in found if one[1][-1] != eos_id][:beam_width]
    return max(ended + beam, key=lambda one: one[0] / ((5 + len(one[1])) / 6) ** 2)[1]
