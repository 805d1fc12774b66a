"""The library's own sum."""

import torch.nn.functional as F


def cross_entropy(logits, targets, ignore_index=-100):
    total = F.cross_entropy(
        logits.reshape(-1, logits.shape[-1]), targets.reshape(-1), ignore_index=ignore_index, reduction="sum"
    )
    return total / max(1, int((targets != ignore_index).sum()))
