"""Counting what attention costs: parameters and multiplications, without running it."""

from __future__ import annotations


def count_parameters(d_model: int, num_heads: int, bias: bool = False) -> int:
    """h · 3 · d_model · d_k + (h · d_k) · d_model = 4 · d_model²: Vaswani et al. 2017, section 3.2.2, d_k = d_v.

    With biases 4 · d_model more. num_heads divides d_model, and cancels.
    """
    d_k = d_model // num_heads
    one_head = 3 * d_model * d_k  # W_i^Q, W_i^K and W_i^V, each (d_model, d_k)
    output = num_heads * d_k * d_model  # W^O (h * d_k, d_model)
    biases = 4 * d_model if bias else 0  # one number per output feature of each projection
    return num_heads * one_head + output + biases
