"""Some functions once more, in NumPy: what the library of tensors adds is speed and gradients, not mathematics."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]


def softmax(x: Floats, axis: int = -1) -> Floats:
    """exp(x_i − m) / Σ_j exp(x_j − m) with m the maximum: Goodfellow, Bengio and Courville 2016, section 4.1."""
    weights: Floats = np.exp(x - x.max(axis=axis, keepdims=True))  # as x, between 0 and 1
    total: Floats = weights.sum(axis=axis, keepdims=True)  # size 1 along axis
    return weights / total  # as x, sums to 1 along axis


def scaled_scores(q: Floats, k: Floats) -> Floats:
    """QKᵀ / √d_k: Vaswani et al. 2017, equation 1. q (..., n_q, d_k), k (..., n_k, d_k) → (..., n_q, n_k)."""
    scores: Floats = np.einsum("...qd,...kd->...qk", q, k)
    return scores / math.sqrt(q.shape[-1])


def causal_mask(n_q: int, n_k: int | None = None) -> NDArray[np.bool_]:
    """A lower triangle of True, moved to the right by n_k − n_q. → boolean (n_q, n_k)."""
    n_k = n_q if n_k is None else n_k
    return np.tri(n_q, n_k, n_k - n_q, dtype=bool)


def layer_norm(x: Floats, gamma: Floats, beta: Floats, eps: float = 1e-5) -> Floats:
    """γ · (x − μ) / √(σ² + ε) + β: Ba et al. 2016, equations 3 and 4. NumPy's variance divides by d."""
    mean, variance = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)  # (..., 1)
    standard: Floats = (x - mean) / np.sqrt(variance + eps)  # (..., d)
    return standard * gamma + beta  # (..., d)


def split_heads(x: Floats, num_heads: int) -> Floats:
    """(..., n, d_model) → (..., num_heads, n, d_k): a view of x with other strides; no number is moved."""
    *batch, n, d_model = x.shape
    if d_model % num_heads:
        raise ValueError(f"num_heads = {num_heads} does not divide d_model = {d_model}")
    return x.reshape(*batch, n, num_heads, d_model // num_heads).swapaxes(-3, -2)  # (..., h, n, d_k)
