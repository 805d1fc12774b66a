"""One layer of an encoder and one of a decoder, in torch."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from reference.heads import MultiHeadAttention
from reference.masks import causal_mask


def feed_forward(x: Tensor, w_1: Tensor, b_1: Tensor, w_2: Tensor, b_2: Tensor) -> Tensor:
    """max(0, x W_1 + b_1) W_2 + b_2: Vaswani et al. 2017, equation 2. Every token by itself.

    x (..., d_model), w_1 (d_model, d_ff), w_2 (d_ff, d_model) → (..., d_model).
    """
    hidden = torch.relu(x @ w_1 + b_1)  # (..., d_ff)
    return hidden @ w_2 + b_2  # (..., d_model)


def swiglu(x: Tensor, w_gate: Tensor, w_up: Tensor, w_down: Tensor) -> Tensor:
    """(SiLU(x W_gate) ⊙ x W_up) W_down with SiLU(z) = z σ(z): Shazeer 2020, equation 6. No biases.

    x (..., d_model), w_gate and w_up (d_model, d_ff), w_down (d_ff, d_model) → (..., d_model).
    """
    gate = functional.silu(x @ w_gate)  # (..., d_ff): how much of each feature comes through
    return (gate * (x @ w_up)) @ w_down  # (..., d_model)


def moe_route(logits: Tensor, top_k: int, capacity: int) -> Tensor:
    """Softmax(KeepTopK(h, top_k)), and 0 where an expert is full: Shazeer et al. 2017, equations 3 and 5.

    logits (..., n, E) → gates (..., n, E). An expert takes the first `capacity` tokens that chose it, as in
    Fedus et al. 2022, section 2.2, but in each text by itself; the gates of the others are 0.
    """
    best = logits.topk(top_k, dim=-1).indices  # (..., n, top_k)
    chosen = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, best, True)  # (..., n, E)
    gates = logits.masked_fill(~chosen, -math.inf).softmax(dim=-1)  # (..., n, E): top_k of each row are not 0
    full = chosen.cumsum(dim=-2) > capacity  # (..., n, E): the token itself is counted
    return gates.masked_fill(full, 0.0)  # (..., n, E)


def load_balancing_loss(logits: Tensor, top_k: int) -> Tensor:
    """E Σ_i f_i P_i, the load-balancing loss of E experts without its factor α: Fedus et al. 2022, equations 4 to 6.

    logits (..., n, E) → a number. f_i is the share of all choices that fall on expert i, P_i its mean probability.
    """
    experts = logits.shape[-1]
    probabilities = logits.softmax(dim=-1)  # (..., n, E)
    best = logits.topk(top_k, dim=-1).indices  # (..., n, top_k)
    choices = functional.one_hot(best, experts).flatten(end_dim=-2)  # (all choices, E)
    f = choices.to(logits.dtype).mean(dim=0)  # (E,)
    p = probabilities.flatten(end_dim=-2).mean(dim=0)  # (E,): P
    return experts * (f * p).sum()


class FeedForward(nn.Module):
    """FFN(x) = max(0, x W_1 + b_1) W_2 + b_2: Vaswani et al. 2017, equation 2."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        """From d_model features to d_ff and back."""
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        """x (..., d_model) → (..., d_model), every token by itself."""
        hidden = torch.relu(self.w_1(x))  # (..., d_ff)
        output: Tensor = self.w_2(hidden)  # (..., d_model)
        return output


class EncoderLayer(nn.Module):
    """Self-attention, then the feed-forward network, each with a residual connection and a norm.

    After the sum, LN(x + F(x)): Vaswani et al. 2017, section 3.1. With norm_first before the sublayer,
    x + F(LN(x)): Xiong et al. 2020, table 1. No dropout, and no norm after the last layer of a stack.
    """

    def __init__(self, d_model: int, num_heads: int, d_ff: int, norm_first: bool = False) -> None:
        """The norms are numbered in the order in which they are used."""
        super().__init__()
        self.norm_first = norm_first
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1 = nn.LayerNorm(d_model)
        self.norm_2 = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """x (batch, n, d_model) → (batch, n, d_model). mask broadcasts to (batch, num_heads, n, n)."""
        if self.norm_first:
            normed = self.norm_1(x)  # (batch, n, d_model)
            x = x + self.attention(normed, normed, normed, mask)
            x = x + self.feed_forward(self.norm_2(x))
        else:
            x = self.norm_1(x + self.attention(x, x, x, mask))
            x = self.norm_2(x + self.feed_forward(x))
        return x  # (batch, n, d_model)


class DecoderLayer(nn.Module):
    """Causal self-attention, cross-attention to the memory, feed-forward network: Vaswani et al. 2017, section 3.1.

    Norms stand as in EncoderLayer. The memory is what an encoder returned; it is not normalised here.
    """

    def __init__(self, d_model: int, num_heads: int, d_ff: int, norm_first: bool = False) -> None:
        """The norms are numbered in the order in which they are used."""
        super().__init__()
        self.norm_first = norm_first
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1 = nn.LayerNorm(d_model)
        self.norm_2 = nn.LayerNorm(d_model)
        self.norm_3 = nn.LayerNorm(d_model)

    def forward(
        self, x: Tensor, memory: Tensor, self_mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        """x (batch, n, d_model), memory (batch, m, d_model) → (batch, n, d_model).

        self_mask broadcasts to (batch, num_heads, n, n) and comes on top of the causal mask; memory_mask
        broadcasts to (batch, num_heads, n, m).
        """
        allowed = causal_mask(x.shape[-2])  # (n, n)
        if self_mask is not None:
            allowed = allowed & self_mask  # (n, n), (batch, 1, n, n)
        if self.norm_first:
            normed = self.norm_1(x)  # (batch, n, d_model)
            x = x + self.self_attention(normed, normed, normed, allowed)
            x = x + self.cross_attention(self.norm_2(x), memory, memory, memory_mask)
            x = x + self.feed_forward(self.norm_3(x))
        else:
            x = self.norm_1(x + self.self_attention(x, x, x, allowed))
            x = self.norm_2(x + self.cross_attention(x, memory, memory, memory_mask))
            x = self.norm_3(x + self.feed_forward(x))
        return x  # (batch, n, d_model)
