"""Never the same token twice in a row.

caught-by: values
"""

import torch


def greedy_decode(step, bos_id, eos_id, max_len):
    ids = [bos_id]
    for _ in range(max_len):
        logits = step(ids)
        logits[ids[-1]] = -torch.inf
        ids.append(int(logits.argmax()))
        if ids[-1] == eos_id:
            break
    return ids[1:]
