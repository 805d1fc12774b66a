"""Attention in several heads, in torch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from reference.attention import scaled_dot_product_attention
from reference.sequences import project_qkv


def head_width(d_model: int, num_heads: int) -> int:
    """d_k = d_model / h; a ValueError where that is no positive whole number."""
    if d_model < 1 or num_heads < 1 or d_model % num_heads:
        raise ValueError(f"d_model = {d_model} cannot be split into {num_heads} heads of equal width")
    return d_model // num_heads


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """(..., n, d_model) → (..., num_heads, n, d_k): head i takes the i-th d_k features of every token."""
    *batch, n, d_model = x.shape
    d_k = head_width(d_model, num_heads)
    return x.reshape(*batch, n, num_heads, d_k).transpose(-3, -2)  # (..., n, h, d_k) → (..., h, n, d_k)


def merge_heads(heads: Tensor) -> Tensor:
    """(..., num_heads, n, d_k) → (..., n, num_heads * d_k): the heads of a token side by side."""
    return heads.transpose(-3, -2).flatten(start_dim=-2)


def multi_head(q: Tensor, k: Tensor, v: Tensor, num_heads: int, mask: Tensor | None = None) -> Tensor:
    """Concat(head_1, …, head_h) without any projection: Vaswani et al. 2017, section 3.2.2.

    q (..., n_q, d_model), k and v (..., n_k, d_model) → (..., n_q, d_model).
    mask is boolean and broadcasts to (..., num_heads, n_q, n_k).
    """
    q = split_heads(q, num_heads)  # (..., h, n_q, d_k)
    k = split_heads(k, num_heads)  # (..., h, n_k, d_k)
    v = split_heads(v, num_heads)  # (..., h, n_k, d_k)
    heads = scaled_dot_product_attention(q, k, v, mask)  # (..., h, n_q, d_k)
    return merge_heads(heads)  # (..., n_q, d_model)


def output_projection(heads: Tensor, w_o: Tensor) -> Tensor:
    """Concat(head_1, …, head_h) W^O: Vaswani et al. 2017, section 3.2.2.

    heads (..., h, n, d_k), w_o (h * d_k, d_model) → (..., n, d_model).
    """
    return merge_heads(heads) @ w_o  # (..., n, h * d_k) @ (h * d_k, d_model)


def per_head_contributions(heads: Tensor, w_o: Tensor) -> Tensor:
    """Concat(head_1, …, head_h) W^O = Σ_i head_i W_i^O, one term for each head: Elhage et al. 2021.

    heads (..., h, n, d_k), w_o (h * d_k, d_model) → (..., h, n, d_model). W_i^O are the d_k rows that read head i.
    """
    num_heads, d_k = heads.shape[-3], heads.shape[-1]
    rows = w_o.reshape(num_heads, d_k, -1)  # (h, d_k, d_model)
    return heads @ rows  # (..., h, n, d_model)


def ov_matrices(w_v: Tensor, w_o: Tensor, num_heads: int) -> Tensor:
    """W_i^V W_i^O for each head, so that A_i X (W_i^V W_i^O) is what head i adds to the output: Elhage et al. 2021.

    w_v (d_model, h * d_k), w_o (h * d_k, d_model) → (h, d_model, d_model). There, tokens are columns: it is W_O W_V.
    """
    d_model = w_v.shape[0]
    reads = w_v.reshape(d_model, num_heads, -1).transpose(0, 1)  # (h, d_model, d_k), the columns of each head
    writes = w_o.reshape(num_heads, -1, d_model)  # (h, d_k, d_model), the rows of each head
    return reads @ writes  # (h, d_model, d_model), each of rank d_k at most


def attend_in_heads(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, num_heads: int) -> Tensor:
    """All heads of self-attention, not yet merged: x (..., n, d_model) → (..., num_heads, n, d_k)."""
    q, k, v = (split_heads(part, num_heads) for part in project_qkv(x, w_q, w_k, w_v))
    return scaled_dot_product_attention(q, k, v)  # (..., h, n, d_k)


def ablate_heads(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor, num_heads: int, keep: Tensor) -> Tensor:
    """Σ_i ξ_i head_i W_i^O with ξ_i = 1 for the heads to keep, else 0: Michel et al. 2019, section 2.3.

    x (..., n, d_model), keep boolean (num_heads,) → (..., n, d_model).
    """
    heads = attend_in_heads(x, w_q, w_k, w_v, num_heads)  # (..., h, n, d_k)
    kept = heads * keep[:, None, None]  # removed heads are zeros; the others see no difference
    return output_projection(kept, w_o)  # (..., n, d_model)


def head_importance(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor, num_heads: int) -> Tensor:
    """‖Y − Y without head i‖ = ‖head_i W_i^O‖ for each i, in the L2 norm over all entries.

    Michel et al. 2019, section 3.2, remove one head at a time, too, and then look at the quality of the model.
    x (..., n, d_model) → (num_heads,).
    """
    heads = attend_in_heads(x, w_q, w_k, w_v, num_heads)  # (..., h, n, d_k)
    changes = per_head_contributions(heads, w_o)  # (..., h, n, d_model): the output is their sum
    norms: Tensor = torch.linalg.vector_norm(changes.movedim(-3, 0).flatten(start_dim=1), dim=1)  # (h,)
    return norms


def previous_token_score(weights: Tensor) -> Tensor:
    """1/(n − 1) Σ_{i ≥ 1} A_{i, i−1} for each head, averaged over the batch. Query 0 has no previous token.

    Voita et al. 2019, section 5.1, find heads whose largest weight is nearly always at such a fixed distance.
    weights (batch, h, n, n) → (h,).
    """
    scores = weights.diagonal(offset=-1, dim1=-2, dim2=-1).mean(dim=-1)  # (batch, h), over queries i and keys i - 1
    return scores.mean(dim=0)  # (h,)


def attention_by_device(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor, num_heads: int, num_devices: int
) -> Tensor:
    """Multi-head attention as a sum over devices with h / g heads each: Shoeybi et al. 2019, section 3.

    A device has its columns of w_q, w_k and w_v and its rows of w_o; only the sum needs communication.
    x (batch, n, d_model) → (num_devices, batch, n, d_model), the terms of the sum.
    """
    own = num_heads // num_devices  # heads of one device
    width = len(w_o) // num_devices  # their features
    parts = []
    for first in range(0, len(w_o), width):
        device = slice(first, first + width)
        q, k, v = ((x @ w[:, device]).reshape(*x.shape[:-1], own, -1).transpose(-3, -2) for w in (w_q, w_k, w_v))
        heads = scaled_dot_product_attention(q, k, v)  # (batch, h / g, n, d_k)
        parts.append(merge_heads(heads) @ w_o[device])  # (batch, n, d_model)
    return torch.stack(parts)  # (g, batch, n, d_model)


class MultiHeadAttention(nn.Module):
    """MultiHead(Q, K, V) = Concat(head_1, …, head_h) W^O: Vaswani et al. 2017, section 3.2.2.

    head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V), with d_k = d_v = d_model / h. The W_i^Q of all
    heads stand side by side in the one matrix w_q, likewise for w_k and w_v.
    """

    def __init__(self, d_model: int, num_heads: int) -> None:
        """Four bias-free projections of d_model features; num_heads must divide d_model."""
        super().__init__()
        head_width(d_model, num_heads)  # refuses at once what split_heads would refuse later
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model, bias=False)
        self.w_k = nn.Linear(d_model, d_model, bias=False)
        self.w_v = nn.Linear(d_model, d_model, bias=False)
        self.w_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        """query (batch, n_q, d_model), key and value (batch, n_k, d_model) → (batch, n_q, d_model).

        mask is boolean and broadcasts to (batch, num_heads, n_q, n_k).
        """
        q = split_heads(self.w_q(query), self.num_heads)  # (batch, h, n_q, d_k)
        k = split_heads(self.w_k(key), self.num_heads)  # (batch, h, n_k, d_k)
        v = split_heads(self.w_v(value), self.num_heads)  # (batch, h, n_k, d_k)
        heads = scaled_dot_product_attention(q, k, v, mask)  # (batch, h, n_q, d_k)
        output: Tensor = self.w_o(merge_heads(heads))  # (batch, n_q, d_model)
        return output
