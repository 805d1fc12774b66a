"""PyTorch: a tensor of ids in place of a list."""

import torch


def greedy_decode(step, bos_id, eos_id, max_len):
    ids = torch.tensor([bos_id])
    for _ in range(max_len):
        ids = torch.cat([ids, step(ids).argmax(dim=-1, keepdim=True)])
        if ids[-1] == eos_id:
            break
    return ids[1:]
