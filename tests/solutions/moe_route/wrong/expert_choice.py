"""The experts choose their tokens.

caught-by: values
"""

import numpy as np


def moe_route(logits, top_k, capacity):
    e = np.exp(logits - logits.max(-1, keepdims=True))
    p = e / e.sum(-1, keepdims=True)
    rank = np.argsort(np.argsort(-p, axis=-2), axis=-2)
    return np.where(rank < capacity, p, 0)
