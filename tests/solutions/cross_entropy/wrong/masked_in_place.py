"""Writes into the targets.

caught-by: unchanged_inputs
"""

import numpy as np


def cross_entropy(logits, targets, ignore_index=-100):
    counts = targets != ignore_index
    targets[~counts] = 0
    z = logits - logits.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    picked = np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    return -(picked * counts).sum() / max(counts.sum(), 1)
