"""`n_k or n_q` and top-left alignment, as is_causal=True has it.

caught-by: values
"""

import torch


def causal_mask(n_q, n_k=None):
    return torch.ones(n_q, n_k or n_q, dtype=torch.bool).tril()
