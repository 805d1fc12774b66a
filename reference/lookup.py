"""Looking up softly, in torch: a dictionary that answers with a mixture of its values."""

from __future__ import annotations

from torch import Tensor

from reference.scores import softmax


def soft_lookup(query: Tensor, keys: Tensor, values: Tensor, temperature: float = 1.0) -> Tensor:
    """softmax(query keysᵀ / T) values: Graves et al. 2014, equations 2 and 5, with dot products and β = 1/T.

    query (..., n_q, d), keys (..., n, d), values (..., n, d_v) → (..., n_q, d_v).
    T → 0 picks the best key, T → ∞ averages over all; T must be positive.
    """
    if temperature <= 0:
        raise ValueError(f"temperature = {temperature}; it must be greater than 0")
    matches = query @ keys.transpose(-2, -1)  # (..., n_q, n)
    weights = softmax(matches / temperature)  # (..., n_q, n), each row sums to 1
    return weights @ values  # (..., n_q, d_v)


def hard_lookup(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """values[argmax_j query·k_j]: what soft_lookup tends to as T → 0 (Graves et al. 2014, section 3.3.1, β → ∞).

    query (..., n_q, d), keys (..., n, d), values (..., n, d_v) → (..., n_q, d_v). Ties go to the first key.
    """
    matches = query @ keys.transpose(-2, -1)  # (..., n_q, n)
    best = matches.argmax(dim=-1)  # (..., n_q), positions of keys
    return values.take_along_dim(best[..., None], dim=-2)  # (..., n_q, d_v)


def uniform_attention(values: Tensor) -> Tensor:
    """Attention with equal scores: each weight is 1/n, each row (1/n) Σ_j v_j (Vaswani et al. 2017, equation 1).

    values (..., n, d_v) → (..., n, d_v).
    """
    mean = values.mean(dim=-2, keepdim=True)  # (..., 1, d_v)
    return mean.expand_as(values)  # (..., n, d_v)


def softmax_backward(x: Tensor, grad: Tensor, axis: int = -1) -> Tensor:
    """∂L/∂x_j = w_j (g_j − Σ_i g_i w_i) with w = softmax(x) and g = ∂L/∂w.

    The Jacobian of softmax is diag(w) − w wᵀ (from Goodfellow, Bengio and Courville 2016, equation 4.1, by the
    quotient rule). It is never built: times g, it is a weighted mean and a product.
    x and grad have the same shape; i and j run along ``axis``, everything else is a batch.
    """
    weights = softmax(x, axis)  # as x, sums to 1 along axis
    mean = (grad * weights).sum(dim=axis, keepdim=True)  # of grad, by weight; size 1 along axis
    return weights * (grad - mean)  # as x, sums to 0 along axis
