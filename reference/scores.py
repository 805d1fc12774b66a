"""From queries and keys to weights, in torch: scores, their spread, and the softmax over them."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def softmax(x: Tensor, axis: int = -1) -> Tensor:
    """softmax(x)_i = exp(x_i) / Σ_j exp(x_j): Goodfellow, Bengio and Courville 2016, equation 4.1.

    i and j run along ``axis``, everything else is a batch. Taking the maximum off cancels in the
    fraction, and leaves nothing above 0 for exp to overflow on (section 4.1 there).
    """
    shifted = x - x.amax(dim=axis, keepdim=True)  # as x; 0 at the maximum, negative elsewhere
    numerators = torch.exp(shifted)  # as x, between 0 and 1
    return numerators / numerators.sum(dim=axis, keepdim=True)  # as x, sums to 1 along axis


def scaled_scores(q: Tensor, k: Tensor) -> Tensor:
    """QKᵀ / √d_k, what the softmax is taken of: Vaswani et al. 2017, equation 1.

    q (..., n_q, d_k), k (..., n_k, d_k) → (..., n_q, n_k).
    """
    d_k = q.shape[-1]
    return q @ k.transpose(-2, -1) / math.sqrt(d_k)  # (..., n_q, n_k)


def soft_capped_scores(q: Tensor, k: Tensor, cap: float) -> Tensor:
    """cap · tanh(s / cap) of the scaled scores s: Gemma Team 2024, section 2, "Logit soft-capping".

    q (..., n_q, d_k), k (..., n_k, d_k) → (..., n_q, n_k). Near 0 the scores hardly change, since tanh(x) ≈ x there.
    """
    scores = scaled_scores(q, k)  # (..., n_q, n_k)
    return cap * torch.tanh(scores / cap)  # (..., n_q, n_k), between −cap and cap


def score_variance(d_k: int, var_q: float = 1.0, var_k: float = 1.0) -> float:
    """Var(q·k) = Σ_i Var(q_i k_i) = d_k Var(q_i) Var(k_i): Vaswani et al. 2017, section 3.2.1, footnote 4.

    All components are independent and have mean 0. Independent terms add their variances, and
    without means Var(q_i k_i) = E[q_i²] E[k_i²].
    """
    var_product = var_q * var_k  # of one q_i k_i
    return d_k * var_product
