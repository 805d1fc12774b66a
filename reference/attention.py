"""Attention itself, in torch."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def scaled_dot_product_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """Attention(Q, K, V) = softmax(QKᵀ / √d_k) V: Vaswani et al. 2017, equation 1.

    q (..., n_q, d_k), k (..., n_k, d_k), v (..., n_k, d_v) → (..., n_q, d_v).
    mask is boolean and broadcasts to (..., n_q, n_k): True = this key may be attended to.
    A query with no key to attend to gets a row of zeros.
    """
    d_k = q.shape[-1]
    scores = q @ k.transpose(-2, -1) / math.sqrt(d_k)  # (..., n_q, n_k)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores, dim=-1)  # (..., n_q, n_k), each row sums to 1
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)  # where no key is left, the softmax was 0/0
    return weights @ v  # (..., n_q, d_v)
