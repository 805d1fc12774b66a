"""Ended hypotheses make room for others; stops when nothing better can come."""

import heapq

import numpy as np


def beam_search(step, bos_id, eos_id, max_len, beam_width):
    beam, ended = [(0.0, ())], []
    for _ in range(max_len):
        found = []
        for score, ids in beam:
            logits = np.asarray(step([bos_id, *ids]), dtype=np.float64)
            gains = logits - np.logaddexp.reduce(logits)
            found += [(score + gain, (*ids, token)) for token, gain in enumerate(gains)]
        found = heapq.nlargest(2 * beam_width, found)
        ended += [one for one in found[:beam_width] if one[1][-1] == eos_id]
        beam = [one for one in found if one[1][-1] != eos_id][:beam_width]
        if ended and max(ended)[0] >= beam[0][0]:
            break
    return list(max(ended + beam)[1])
