"""Masks, and attention that looks back only, in torch. True = this key may be attended to."""

from __future__ import annotations

import torch
from torch import Tensor

from reference.attention import scaled_dot_product_attention


def causal_mask(n_q: int, n_k: int | None = None) -> Tensor:
    """A query attends to no key that comes after it: Vaswani et al. 2017, section 3.2.3.

    → boolean (n_q, n_k). The last query stands at the last key; without n_k there are n_q keys.
    """
    n_k = n_q if n_k is None else n_k
    query_at = torch.arange(n_q)[:, None] + (n_k - n_q)  # (n_q, 1), counted in keys
    key_at = torch.arange(n_k)  # (n_k,)
    return key_at <= query_at  # (n_q, n_k)


def padding_mask(lengths: Tensor, max_len: int) -> Tensor:
    """The first lengths[b] of max_len positions are tokens, the rest fills up sample b.

    lengths (batch,) integers → boolean (batch, 1, 1, max_len): the same for all heads and queries.
    """
    real = torch.arange(max_len) < lengths[:, None]  # (batch, max_len)
    return real[:, None, None, :]  # (batch, 1, 1, max_len)


def position_ids(attention_mask: Tensor) -> Tensor:
    """The pos of Vaswani et al. 2017, section 3.5, for texts with padding: how many tokens of its text come before.

    attention_mask (..., n), True = a real token → integers (..., n). Padding repeats the position before it, or is 0.
    """
    return (attention_mask.long().cumsum(dim=-1) - 1).clamp(min=0)  # (..., n)


def causal_attention(q: Tensor, k: Tensor, v: Tensor, key_padding: Tensor | None = None) -> Tensor:
    """softmax(QKᵀ / √d_k + M) V with M = −∞ at later keys and at padding: Vaswani et al. 2017, section 3.2.3.

    q, k (..., n, d_k), v (..., n, d_v) → (..., n, d_v). key_padding (batch, n), True = a real token, where
    q is (batch, n, d_k) or (batch, h, n, d_k).
    """
    mask = causal_mask(q.shape[-2], k.shape[-2])  # (n, n)
    if key_padding is not None:
        batch, n_k = key_padding.shape
        between = [1] * (q.ndim - 2)  # heads, if there are any, and queries
        mask = mask & key_padding.reshape(batch, *between, n_k)  # (batch, n, n) or (batch, 1, n, n)
    return scaled_dot_product_attention(q, k, v, mask)  # (..., n, d_v)
