"""An nn.LayerNorm without parameters of its own does the first half."""

import torch
from torch import nn


def layer_norm(x: torch.Tensor, gamma: torch.Tensor, beta: torch.Tensor, eps: float = 1e-5) -> torch.Tensor:
    norm = nn.LayerNorm(x.shape[-1], eps=eps, elementwise_affine=False)
    return norm(x) * gamma + beta
