"""Some functions once more, with more of what PyTorch has for them. In a program, the library is the right choice."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional


def softmax(x: Tensor, axis: int = -1) -> Tensor:
    """exp(x − log Σ_j exp(x_j)): the maximum is taken off inside logsumexp."""
    return torch.exp(x - torch.logsumexp(x, dim=axis, keepdim=True))  # as x, sums to 1 along axis


def scaled_scores(q: Tensor, k: Tensor) -> Tensor:
    """(Q / √d_k) Kᵀ: the smaller matrix is scaled. q (..., n_q, d_k), k (..., n_k, d_k) → (..., n_q, n_k)."""
    return (q / math.sqrt(q.shape[-1])) @ k.mT


def scaled_dot_product_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """softmax(QKᵀ / √d_k + M) V with M = −∞ where the mask is False: Vaswani et al. 2017, equation 1, as a sum.

    Taking the maximum off by hand allows rows without any key: −∞ becomes the smallest number, and the row is
    cleared at the end.
    """
    scores = torch.einsum("...qd,...kd->...qk", q, k) / math.sqrt(q.shape[-1])  # (..., n_q, n_k)
    if mask is None:
        return functional.softmax(scores, dim=-1) @ v
    lowest = torch.finfo(scores.dtype).min
    weights = functional.softmax(torch.where(mask, scores, lowest), dim=-1)
    return (weights * mask) @ v  # (..., n_q, d_v)


def causal_mask(n_q: int, n_k: int | None = None) -> Tensor:
    """The lower triangle of a matrix of True. → boolean (n_q, n_k)."""
    n_k = n_q if n_k is None else n_k
    return torch.ones(n_q, n_k, dtype=torch.bool).tril(diagonal=n_k - n_q)


def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5) -> Tensor:
    """torch.nn.functional.layer_norm, over the last axis: one operation, with a gradient of its own."""
    return functional.layer_norm(x, x.shape[-1:], gamma, beta, eps)


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """(..., n, d_model) → (..., num_heads, n, d_k): cut the features into heads, and stack the pieces."""
    if x.shape[-1] % num_heads:
        raise ValueError(f"num_heads = {num_heads} does not divide d_model = {x.shape[-1]}")
    return torch.stack(x.chunk(num_heads, dim=-1), dim=-3)  # num_heads times (..., n, d_k) → (..., h, n, d_k)
