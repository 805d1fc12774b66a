"""Takes n_k = 0 for an n_k that is not given.

caught-by: values
"""

import torch


def causal_mask(n_q, n_k=None):
    n_k = n_k or n_q
    return torch.ones(n_q, n_k, dtype=torch.bool).tril(n_k - n_q)
