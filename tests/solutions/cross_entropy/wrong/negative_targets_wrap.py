"""-100 as an index from the end fails, or hits another word.

caught-by: values
"""

import numpy as np


def cross_entropy(logits, targets, ignore_index=-100):
    flat, wanted = logits.reshape(-1, logits.shape[-1]), targets.reshape(-1)
    z = flat - flat.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    picked = log_p[np.arange(len(wanted)), wanted % flat.shape[-1]]
    return -picked.mean()
