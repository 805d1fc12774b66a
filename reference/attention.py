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


def attention_backward(q: Tensor, k: Tensor, v: Tensor, grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """∂L/∂Q, ∂L/∂K and ∂L/∂V from dO = ∂L/∂O, for O = P V and P = softmax(QKᵀ / √d_k). By the chain rule.

    dV = Pᵀ dO and dP = dO Vᵀ; the gradient at the scores is P ⊙ (dP − rowsum(P ⊙ dP)). Dao et al. 2022, appendix B.2,
    take the row sums from dO ⊙ O, which gives the same. q (..., n_q, d_k), k (..., n_k, d_k), v (..., n_k, d_v),
    grad (..., n_q, d_v) → the shapes of q, k and v.
    """
    root = math.sqrt(q.shape[-1])
    weights = torch.softmax(q @ k.transpose(-2, -1) / root, dim=-1)  # (..., n_q, n_k), P
    grad_weights = grad @ v.transpose(-2, -1)  # (..., n_q, n_k), dP
    row_sums = (weights * grad_weights).sum(dim=-1, keepdim=True)  # (..., n_q, 1)
    grad_scores = weights * (grad_weights - row_sums) / root  # (..., n_q, n_k), the gradient at QKᵀ
    return grad_scores @ k, grad_scores.transpose(-2, -1) @ q, weights.transpose(-2, -1) @ grad
