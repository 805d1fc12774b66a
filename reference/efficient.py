"""Attention with less memory, less work or fewer keys, in torch."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from reference.attention import scaled_dot_product_attention


def online_softmax_attention(q: Tensor, k: Tensor, v: Tensor, block_size: int) -> Tensor:
    """softmax(QKᵀ / √d_k) V, one block of keys at a time: Milakov and Gimelshein 2018, algorithm 3.

    q (..., n_q, d_k), k (..., n_k, d_k), v (..., n_k, d_v) → (..., n_q, d_v). With the maximum m of the scores
    so far, the sums Σ exp(s − m) and Σ exp(s − m) v are kept; when m grows to m', both are multiplied by exp(m − m').
    """
    d_k, n_k = q.shape[-1], k.shape[-2]
    largest = q.new_full((*q.shape[:-1], 1), -math.inf)  # (..., n_q, 1): m
    total = torch.zeros_like(largest)  # (..., n_q, 1): Σ exp(s − m)
    output = q.new_zeros((*q.shape[:-1], v.shape[-1]))  # (..., n_q, d_v): Σ exp(s − m) v
    for start in range(0, n_k, block_size):
        block = slice(start, start + block_size)
        scores = q @ k[..., block, :].transpose(-2, -1) / math.sqrt(d_k)  # (..., n_q, block_size)
        larger = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))  # (..., n_q, 1): m'
        numerators = torch.exp(scores - larger)  # (..., n_q, block_size)
        correction = torch.exp(largest - larger)  # (..., n_q, 1), 0 for the first block
        total = total * correction + numerators.sum(dim=-1, keepdim=True)
        output = output * correction + numerators @ v[..., block, :]
        largest = larger
    return output / total  # (..., n_q, d_v)


def feature_map(x: Tensor) -> Tensor:
    """φ(x) = elu(x) + 1, which is x + 1 for positive x and exp(x) for others: Katharopoulos et al. 2020, equation 7."""
    return torch.nn.functional.elu(x) + 1


def linear_attention(q: Tensor, k: Tensor, v: Tensor, causal: bool = False) -> Tensor:
    """φ(q_i) Σ_j φ(k_j)ᵀ v_j / φ(q_i) · Σ_j φ(k_j): Katharopoulos et al. 2020, equation 5; causal: equation 9.

    q (..., n_q, d), k (..., n_k, d), v (..., n_k, d_v) → (..., n_q, d_v). The sums run over all j, or over
    j ≤ i; they are formed once, so that no query meets a key.
    """
    phi_q, phi_k = feature_map(q), feature_map(k)  # (..., n_q, d), (..., n_k, d)
    if not causal:
        summary = phi_k.transpose(-2, -1) @ v  # (..., d, d_v)
        total = phi_k.sum(dim=-2).unsqueeze(-1)  # (..., d, 1)
        return (phi_q @ summary) / (phi_q @ total)  # (..., n_q, d_v)
    summaries = (phi_k.unsqueeze(-1) * v.unsqueeze(-2)).cumsum(dim=-3)  # (..., n, d, d_v)
    totals = phi_k.cumsum(dim=-2)  # (..., n, d)
    numerators = (phi_q.unsqueeze(-2) @ summaries).squeeze(-2)  # (..., n, d_v)
    return numerators / (phi_q * totals).sum(dim=-1, keepdim=True)  # (..., n, d_v)


def linear_attention_step(
    state: tuple[Tensor, Tensor] | None, q_t: Tensor, k_t: Tensor, v_t: Tensor
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """One token of causal linear attention as a recurrence: Katharopoulos et al. 2020, equations 16 to 20.

    q_t, k_t (..., d), v_t (..., d_v) → output (..., d_v) and the new state Σ φ(k)ᵀ v (..., d, d_v), Σ φ(k) (..., d).
    The state is as large after a thousand tokens as after one. None: there were no tokens yet.
    """
    phi_q, phi_k = feature_map(q_t), feature_map(k_t)  # (..., d)
    summary = phi_k.unsqueeze(-1) * v_t.unsqueeze(-2)  # (..., d, d_v)
    total = phi_k  # (..., d)
    if state is not None:
        summary, total = state[0] + summary, state[1] + total
    numerator = (phi_q.unsqueeze(-2) @ summary).squeeze(-2)  # (..., d_v)
    return numerator / (phi_q * total).sum(dim=-1, keepdim=True), (summary, total)


def delta_rule_step(S: Tensor, k: Tensor, v: Tensor, beta: Tensor) -> Tensor:
    """S + kᵀ β (v − k S), the delta rule: Schlag et al. 2021, section 4; Yang et al. 2024, section 2.

    S (..., d, d_v), k (..., d), v (..., d_v), beta (..., 1) → the new state (..., d, d_v).
    """
    old = (k.unsqueeze(-2) @ S).squeeze(-2)  # (..., d_v): what the state returns for k
    step = beta * (v - old)  # (..., d_v)
    return S + k.unsqueeze(-1) * step.unsqueeze(-2)  # (..., d, d_v)


def sliding_window_mask(n: int, window: int) -> Tensor:
    """Causal, and window tokens wide: Beltagy et al. 2020, section 3.1, looking back only.

    → boolean (n, n), True = this key may be attended to; every query sees itself.
    """
    distance = torch.arange(n)[:, None] - torch.arange(n)  # (n, n), query position − key position
    return (distance >= 0) & (distance < window)


def grouped_query_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """h / h_kv neighbouring query heads share one head of keys and values: Ainslie et al. 2023, section 2.2.

    q (..., h, n_q, d_k), k and v (..., h_kv, n_k, d_k) → (..., h, n_q, d_k). mask broadcasts to (..., h, n_q, n_k).
    A ValueError where h_kv does not divide h.
    """
    h, h_kv = q.shape[-3], k.shape[-3]
    if h % h_kv:
        raise ValueError(f"{h} query heads cannot share {h_kv} heads of keys and values equally")
    group = h // h_kv
    k, v = k.repeat_interleave(group, dim=-3), v.repeat_interleave(group, dim=-3)  # (..., h, n_k, d_k)
    return scaled_dot_product_attention(q, k, v, mask)  # (..., h, n_q, d_k)
