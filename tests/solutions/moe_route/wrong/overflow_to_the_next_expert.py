"""A token that finds an expert full goes to its next best one.

caught-by: values
"""

import numpy as np


def moe_route(logits, top_k, capacity):
    out = np.zeros_like(logits)
    n, experts = logits.shape[-2:]
    for lead in np.ndindex(*logits.shape[:-2]):
        taken = [0] * experts
        for t in range(n):
            row = logits[lead][t]
            free = [e for e in sorted(range(experts), key=lambda e: -row[e]) if taken[e] < capacity][:top_k]
            if free:
                weights = np.exp(row[free] - row[free].max())
                out[lead][t, free] = weights / weights.sum()
                for e in free:
                    taken[e] += 1
    return out
