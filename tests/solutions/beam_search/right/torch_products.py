"""Products of probabilities, in Python's own numbers: the same order."""

import torch


def beam_search(step, bos_id, eos_id, max_len, beam_width):
    beam = {(): 1.0}
    for _ in range(max_len):
        found = {ids: p for ids, p in beam.items() if ids[-1:] == (eos_id,)}
        for ids, p in beam.items():
            if ids not in found:
                q = torch.softmax(step(torch.tensor([bos_id, *ids])).double(), dim=0).tolist()
                found |= {(*ids, token): p * q[token] for token in range(len(q))}
        beam = dict(sorted(found.items(), key=lambda one: one[1])[-beam_width:])
    return list(max(beam, key=beam.get))
