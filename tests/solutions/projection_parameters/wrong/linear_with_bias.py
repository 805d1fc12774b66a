"""The bias counted.

caught-by: values
"""

from torch import nn


def projection_parameters(d_model, d_pos, mode):
    if mode not in ("add", "concat"):
        raise ValueError(mode)
    layer = nn.Linear(d_model + (d_pos if mode == "concat" else 0), d_model, device="meta")
    return sum(p.numel() for p in layer.parameters())
