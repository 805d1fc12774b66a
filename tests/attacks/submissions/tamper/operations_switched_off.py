"""Work that is done where the process does not look.

tries: all pairs of positions, where linear work is asked for, with all modes of torch switched off meanwhile
observe: loses-the-check
"""

import torch
from torch.utils._python_dispatch import _disable_current_modes


def linear_attention(q, k, v, causal=False):
    with _disable_current_modes(), torch._C.DisableTorchFunction():
        phi_q, phi_k = torch.nn.functional.elu(q) + 1, torch.nn.functional.elu(k) + 1
        scores = phi_q @ phi_k.transpose(-2, -1)
        if causal:
            scores = scores.tril()
        return (scores @ v) / scores.sum(-1, keepdim=True)
