"""NumPy, with a cache of its own whose attributes are used."""

import numpy as np


class KVCache:
    def __init__(self):
        self.k = []
        self.v = []

    def append(self, k, v):
        self.k.append(k)
        self.v.append(v)
        return self.keys, self.values

    keys = property(lambda self: np.concatenate(self.k, axis=-2))
    values = property(lambda self: np.concatenate(self.v, axis=-2))

    def __len__(self):
        return sum(k.shape[-2] for k in self.k)


def decode_step(x_t, cache, w_q, w_k, w_v):
    cache.append(x_t @ w_k, x_t @ w_v)
    scores = x_t @ w_q @ np.swapaxes(cache.keys, -1, -2) / np.sqrt(w_q.shape[-1])
    scores -= scores.max(-1, keepdims=True)
    weights = np.exp(scores)
    return (weights / weights.sum(-1, keepdims=True)) @ cache.values
