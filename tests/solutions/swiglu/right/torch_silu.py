"""The library's SiLU."""

import torch.nn.functional as F


def swiglu(x, w_gate, w_up, w_down):
    return (F.silu(x @ w_gate) * (x @ w_up)) @ w_down
