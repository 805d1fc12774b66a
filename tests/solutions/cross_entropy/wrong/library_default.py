"""The library's mean, which is NaN when nothing counts.

caught-by: values
"""

import torch.nn.functional as F


def cross_entropy(logits, targets, ignore_index=-100):
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1), ignore_index=ignore_index)
