"""Keeps the mask for each number of queries, whatever the number of keys.

caught-by: values
"""

import torch

MASKS = {}


def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    if n_q not in MASKS:
        MASKS[n_q] = torch.ones(n_q, n_k, dtype=torch.bool).tril(n_k - n_q)
    return MASKS[n_q]
