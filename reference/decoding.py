"""Generating one token after the other: the cache of keys and values, a step with it, and what it takes; in torch."""

from __future__ import annotations

import torch
from torch import Tensor

from reference.attention import scaled_dot_product_attention


class KVCache:
    """The keys and values of all tokens so far, each computed once: Shazeer 2019, section 2.4."""

    def __init__(self) -> None:
        """Empty: how many leading dimensions there are, the first append shows."""
        self.k: Tensor | None = None
        self.v: Tensor | None = None

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """k (..., t, d_k) and v (..., t, d_v) of t new tokens → all so far, (..., n, d_k) and (..., n, d_v)."""
        self.k = k if self.k is None else torch.cat((self.k, k), dim=-2)  # (..., n, d_k)
        self.v = v if self.v is None else torch.cat((self.v, v), dim=-2)  # (..., n, d_v)
        return self.k, self.v

    def __len__(self) -> int:
        """How many tokens are in it."""
        return 0 if self.k is None else self.k.shape[-2]


def decode_step(x_t: Tensor, cache: KVCache, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> Tensor:
    """softmax(q_t Kᵀ / √d_k) V for the newest token alone: Shazeer 2019, section 2.4.

    x_t (..., 1, d_model), w_q and w_k (d_model, d_k), w_v (d_model, d_v) → (..., 1, d_v).
    No mask is needed: what is in the cache is the past, and the token itself.
    """
    k, v = cache.append(x_t @ w_k, x_t @ w_v)  # (..., n, d_k), (..., n, d_v), the new token is the last
    return scaled_dot_product_attention(x_t @ w_q, k, v)  # (..., 1, d_v)


def kv_cache_bytes(num_layers: int, batch: int, n: int, num_kv_heads: int, d_k: int, bytes_per_element: int = 2) -> int:
    """2 · layers · batch · n · h_kv · d_k · bytes: a key and a value of d_k numbers for each token, head and layer."""
    return 2 * num_layers * batch * n * num_kv_heads * d_k * bytes_per_element
