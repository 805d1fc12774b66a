"""torch."""

import torch


def residual(x, sublayer):
    return torch.stack([x, sublayer(x)]).sum(0)
