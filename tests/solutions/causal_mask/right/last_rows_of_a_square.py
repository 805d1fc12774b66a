"""The last n_q rows of the square mask; empty rows in front where there are more queries than keys."""

import torch


def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    n = max(n_q, n_k)
    return ~torch.triu(torch.ones(n, n), diagonal=1).bool()[-n_q:, :] if n_q <= n_k else torch.cat(
        [torch.zeros(n_q - n_k, n_k, dtype=torch.bool), causal_mask(n_k)]
    )
