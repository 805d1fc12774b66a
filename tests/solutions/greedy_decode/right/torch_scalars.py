"""Ids as tensors without axes."""

import torch


def greedy_decode(step, bos_id, eos_id, max_len):
    tokens = torch.tensor([bos_id])
    for _ in range(max_len):
        tokens = torch.cat([tokens, step(tokens).argmax().view(1)])
        if tokens[-1] == eos_id:
            break
    return [*tokens[1:]]
