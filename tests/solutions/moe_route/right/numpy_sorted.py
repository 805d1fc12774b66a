"""NumPy: the k-th largest score is the threshold of each row."""

import numpy as np


def moe_route(logits, top_k, capacity):
    threshold = np.sort(logits, axis=-1)[..., -top_k, None]
    chosen = logits >= threshold
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True)) * chosen
    gates = shifted / shifted.sum(axis=-1, keepdims=True)
    earlier = np.cumsum(chosen, axis=-2) - chosen
    return np.where(earlier < capacity, gates, 0).astype(logits.dtype)
