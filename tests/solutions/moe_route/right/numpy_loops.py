"""NumPy: token by token, with a count of places for each expert."""

import numpy as np


def moe_route(logits, top_k, capacity):
    out = np.zeros_like(logits)
    n, experts = logits.shape[-2:]
    for lead in np.ndindex(*logits.shape[:-2]):
        taken = [0] * experts
        for t in range(n):
            row = logits[lead][t]
            best = sorted(range(experts), key=lambda e: -row[e])[:top_k]
            weights = np.exp(row[best] - row[best].max())
            weights = weights / weights.sum()
            for e, w in zip(best, weights):
                if taken[e] < capacity:
                    out[lead][t, e] = w
                    taken[e] += 1
    return out
