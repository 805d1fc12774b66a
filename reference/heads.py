"""Attention in several heads, in torch."""

from __future__ import annotations

from torch import Tensor, nn

from reference.attention import scaled_dot_product_attention


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
