"""Entry by entry."""

import torch


def causal_mask(n_q, n_k=None):
    n_k = n_k if n_k is not None else n_q
    mask = torch.zeros((n_q, n_k)).bool()
    for i in range(n_q):
        for j in range(n_k):
            mask[i, j] = j - (n_k - n_q) <= i
    return mask
