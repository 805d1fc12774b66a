"""The same attention in NumPy, for reading: nothing hidden in a library's softmax.

Equal to ``reference.attention.scaled_dot_product_attention``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]


def scaled_dot_product_attention(q: Floats, k: Floats, v: Floats, mask: NDArray[np.bool_] | None = None) -> Floats:
    """Attention(Q, K, V) = softmax(QKᵀ / √d_k) V: Vaswani et al. 2017, equation 1.

    q (..., n_q, d_k), k (..., n_k, d_k), v (..., n_k, d_v) → (..., n_q, d_v).
    mask is boolean and broadcasts to (..., n_q, n_k): True = this key may be attended to.
    A query with no key to attend to gets a row of zeros.
    """
    d_k = q.shape[-1]
    scores = q @ np.swapaxes(k, -2, -1) / math.sqrt(d_k)  # (..., n_q, n_k)
    if mask is not None:
        scores = np.where(mask, scores, -math.inf)
    largest = scores.max(axis=-1, keepdims=True)  # (..., n_q, 1); taken off, exp cannot overflow
    largest = np.where(largest == -math.inf, 0.0, largest)  # no key is left: -inf - (-inf) would be NaN
    weights = np.exp(scores - largest)  # (..., n_q, n_k); exp(-inf) = 0
    total = weights.sum(axis=-1, keepdims=True)  # (..., n_q, 1); 0 where no key is left
    weights = weights / np.where(total == 0.0, 1.0, total)
    return weights @ v  # (..., n_q, d_v)
