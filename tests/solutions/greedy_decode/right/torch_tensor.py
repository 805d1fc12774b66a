"""A growing tensor."""

import torch


@torch.no_grad()
def greedy_decode(step, bos_id, eos_id, max_len):
    ids = torch.tensor([bos_id])
    while len(ids) - 1 < max_len and (len(ids) == 1 or ids[-1] != eos_id):
        ids = torch.cat([ids, step(ids).argmax().reshape(1)])
    return ids[1:].tolist()
