"""Lower triangle."""

import torch


def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return torch.tril(torch.ones(n_q, n_k, dtype=torch.bool), diagonal=n_k - n_q)
