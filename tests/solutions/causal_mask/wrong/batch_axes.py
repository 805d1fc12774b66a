"""With two axes in front.

caught-by: values
"""

import torch


def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return torch.ones(1, 1, n_q, n_k, dtype=torch.bool).tril(n_k - n_q)
