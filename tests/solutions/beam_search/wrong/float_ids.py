"""Ids in an array of floats, like the scores.

caught-by: values
"""

import numpy as np


def beam_search(step, bos_id, eos_id, max_len, beam_width):
    beam = [([bos_id], 0.0)]
    for _ in range(max_len):
        candidates = []
        for ids, score in beam:
            if len(ids) > 1 and ids[-1] == eos_id:
                candidates.append((ids, score))
            else:
                logits = step(ids)
                log_p = logits - logits.max()
                log_p = log_p - np.log(np.exp(log_p).sum())
                candidates += [(ids + [token], score + float(log_p[token])) for token in range(len(log_p))]
        beam = sorted(candidates, key=lambda c: c[1], reverse=True)[:beam_width]
    return list(np.array(beam[0][0][1:], dtype=float))
