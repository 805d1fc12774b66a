"""A path past a sublayer, and what it does to gradients; in torch."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor


def residual(x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
    """y = x + F(x): He et al. 2016, equation 1. x (..., d) → (..., d)."""
    return x + sublayer(x)


def residual_jacobian(sublayer_jacobian: Tensor) -> Tensor:
    """∂y/∂x = I + ∂F/∂x for y = x + F(x): He et al. 2016b, equation 5. J (d, d) → (d, d)."""
    return torch.eye(sublayer_jacobian.shape[-1], dtype=sublayer_jacobian.dtype) + sublayer_jacobian
