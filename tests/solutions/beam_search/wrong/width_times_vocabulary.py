"""beam_width continuations of each beginning, and none is dropped.

caught-by: values
"""

import torch


def beam_search(step, bos_id, eos_id, max_len, beam_width):
    beam = [(0.0, [])]
    for _ in range(min(max_len, 5)):
        found = []
        for score, ids in beam:
            if ids and ids[-1] == eos_id:
                found.append((score, ids))
                continue
            best = step([bos_id, *ids]).log_softmax(-1).topk(min(beam_width, 5))
            found += [(score + g, [*ids, t]) for g, t in zip(best.values.tolist(), best.indices.tolist())]
        beam = found
    return max(beam)[1]
