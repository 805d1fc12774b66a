"""Looks ahead, and so asks the model once more than it writes."""

import torch


def greedy_decode(step, bos_id, eos_id, max_len):
    ids = (bos_id,)
    token = int(torch.argmax(step(ids)))
    while len(ids) <= max_len:
        ids += (token,)
        if token == eos_id:
            break
        token = int(torch.argmax(step(ids)))
    return list(ids[1:])
