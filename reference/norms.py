"""Normalisation, and the two places for it beside a residual connection, in torch."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor


def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5) -> Tensor:
    """γ · (x − μ) / √(σ² + ε) + β: Ba et al. 2016, equations 3 and 4; ε as in torch.nn.LayerNorm.

    x (..., d), gamma and beta (d,) → (..., d). μ and σ² are those of one token over its d features.
    """
    mean = x.mean(dim=-1, keepdim=True)  # (..., 1)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)  # (..., 1), divided by d and not by d - 1
    standard = (x - mean) / torch.sqrt(variance + eps)  # (..., d), mean 0 and variance σ² / (σ² + ε)
    return standard * gamma + beta  # (..., d)


def layer_norm_backward(grad: Tensor, x: Tensor, gamma: Tensor, eps: float = 1e-5) -> tuple[Tensor, Tensor, Tensor]:
    """∂L/∂x, ∂L/∂γ and ∂L/∂β from ∂L/∂y, for y = LN(x) of Ba et al. 2016, equations 3 and 4. By the chain rule.

    grad and x (..., d), gamma (d,) → (..., d), (d,), (d,). With s the standardised x and g = ∂L/∂s, ∂L/∂x is
    (g − mean(g) − s · mean(g ⊙ s)) / √(σ² + ε): the two means come from μ and from σ, which depend on x.
    """
    mean = x.mean(dim=-1, keepdim=True)  # (..., 1)
    deviation = torch.sqrt((x - mean).square().mean(dim=-1, keepdim=True) + eps)  # (..., 1)
    standard = (x - mean) / deviation  # (..., d)
    inner = grad * gamma  # (..., d), the gradient at the standardised features
    along = (inner * standard).mean(dim=-1, keepdim=True)  # (..., 1)
    grad_x = (inner - inner.mean(dim=-1, keepdim=True) - standard * along) / deviation  # (..., d)
    tokens = (-1, x.shape[-1])  # one row for each token, all of which share γ and β
    return grad_x, (grad * standard).reshape(tokens).sum(dim=0), grad.reshape(tokens).sum(dim=0)  # (..., d), (d,), (d,)


def rms_norm(x: Tensor, gamma: Tensor, eps: float = 1e-5) -> Tensor:
    """γ · x / √(mean(x²) + ε): Zhang and Sennrich 2019, equation 4; ε as in torch.nn.RMSNorm.

    x (..., d), gamma (d,) → (..., d). Nothing is subtracted and nothing added.
    """
    mean_square = x.square().mean(dim=-1, keepdim=True)  # (..., 1)
    return x / torch.sqrt(mean_square + eps) * gamma  # (..., d)


def pre_ln_sublayer(x: Tensor, sublayer: Callable[[Tensor], Tensor], gamma: Tensor, beta: Tensor) -> Tensor:
    """x + F(LN(x)): Xiong et al. 2020, table 1, on the right. The stream of x itself is never normalised."""
    return x + sublayer(layer_norm(x, gamma, beta))  # (..., d)


def post_ln_sublayer(x: Tensor, sublayer: Callable[[Tensor], Tensor], gamma: Tensor, beta: Tensor) -> Tensor:
    """LN(x + F(x)): Vaswani et al. 2017, section 3.1. The sum is normalised, x along with it."""
    return layer_norm(x + sublayer(x), gamma, beta)  # (..., d)
