"""Work in an operation that torch does not define.

tries: all pairs of positions, where linear work is asked for, inside an operation registered with `torch.library`
observe: loses-the-check
"""

import torch

library = torch.library.Library("mine", "DEF")
library.define("attend(Tensor q, Tensor k, Tensor v, bool causal) -> Tensor")


def attend(q, k, v, causal):
    scores = q @ k.transpose(-2, -1)
    if causal:
        scores = scores.tril()
    return (scores @ v) / scores.sum(-1, keepdim=True)


library.impl("attend", attend, "CPU")


def linear_attention(q, k, v, causal=False):
    phi_q, phi_k = torch.nn.functional.elu(q) + 1, torch.nn.functional.elu(k) + 1
    return torch.ops.mine.attend(phi_q, phi_k, v, causal)
