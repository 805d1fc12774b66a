"""With label smoothing.

caught-by: values, gradients
"""

import torch.nn.functional as F


def cross_entropy(logits, targets, ignore_index=-100):
    flat, wanted = logits.reshape(-1, logits.shape[-1]), targets.reshape(-1)
    total = F.cross_entropy(flat, wanted, ignore_index=ignore_index, reduction="sum", label_smoothing=0.1)
    return total / max(1, int((targets != ignore_index).sum()))
