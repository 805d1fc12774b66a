"""Ones and zeros as floats.

caught-by: values
"""

import torch


def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return torch.ones(n_q, n_k).tril(n_k - n_q)
