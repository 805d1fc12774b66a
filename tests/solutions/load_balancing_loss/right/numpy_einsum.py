"""NumPy: ranks, and one einsum over all pairs of tokens."""

import numpy as np


def load_balancing_loss(logits, top_k):
    x = logits.reshape(-1, logits.shape[-1])
    p = np.exp(x - x.max(-1, keepdims=True))
    p = p / p.sum(-1, keepdims=True)
    chosen = np.argsort(np.argsort(-x, axis=-1), axis=-1) < top_k
    return x.shape[1] / (top_k * len(x) ** 2) * np.einsum("te,se->", chosen.astype(x.dtype), p)
