"""Keeps the same number of tokens in every row.

caught-by: values
"""

import numpy as np


def top_p_filter(logits, p):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    probabilities = e / e.sum(axis=-1, keepdims=True)
    k = max(1, round(p * logits.shape[-1]))
    smallest = np.sort(probabilities, axis=-1)[..., -k : logits.shape[-1] - k + 1]
    kept = np.where(probabilities >= smallest, probabilities, 0)
    return kept / kept.sum(axis=-1, keepdims=True)
