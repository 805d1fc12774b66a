"""Counting what attention costs: parameters, operations and memory traffic, without running it."""

from __future__ import annotations

import math


def count_parameters(d_model: int, num_heads: int, bias: bool = False) -> int:
    """h · 3 · d_model · d_k + (h · d_k) · d_model = 4 · d_model²: Vaswani et al. 2017, section 3.2.2, d_k = d_v.

    With biases 4 · d_model more. num_heads divides d_model, and cancels.
    """
    d_k = d_model // num_heads
    one_head = 3 * d_model * d_k  # W_i^Q, W_i^K and W_i^V, each (d_model, d_k)
    output = num_heads * d_k * d_model  # W^O (h * d_k, d_model)
    biases = 4 * d_model if bias else 0  # one number per output feature of each projection
    return num_heads * one_head + output + biases


def attention_flops(n: int, d_model: int) -> int:
    """QKᵀ and AV over all heads: 2 n² d_model each (Vaswani et al. 2017, table 1: n² · d).

    One multiply-add counts as 2. An (n, d) by (d, n) product has n² entries of d multiply-adds.
    """
    scores = 2 * n * n * d_model  # (n, d_model) @ (d_model, n)
    mixing = 2 * n * n * d_model  # (n, n) @ (n, d_model)
    return scores + mixing


def projection_flops(n: int, d_model: int) -> int:
    """X W^Q, X W^K, X W^V and the output times W^O: 2 n d_model² each (Vaswani et al. 2017, section 3.2.2)."""
    one_projection = 2 * n * d_model * d_model  # (n, d_model) @ (d_model, d_model)
    return 4 * one_projection


def crossover_length(d_model: int) -> int:
    """4 n² d_model = 8 n d_model² where n = 2 d_model; longer sequences pay more for QKᵀ and AV."""
    return 2 * d_model


def encoder_decoder_attention_flops(n: int, m: int, d_model: int) -> int:
    """The three uses of attention in Vaswani et al. 2017, section 3.2.3: QKᵀ and AV, 4 d_model for each pair.

    n tokens in the encoder, m in the decoder. What a mask blocks is computed all the same, and counted.
    """
    encoder = n * n  # pairs of query and key
    decoder = m * m
    cross = m * n  # every token of the decoder asks every token of the encoder
    return 4 * d_model * (encoder + decoder + cross)


def multi_head_flops(n: int, d_model: int, num_heads: int) -> int:
    """h heads at 4 n² d_k are 4 n² d_model: Vaswani et al. 2017, section 3.2.2, last sentence.

    num_heads divides d_model, and cancels.
    """
    d_k = d_model // num_heads
    one_head = attention_flops(n, d_k)  # a head is attention of width d_k
    return num_heads * one_head


def count_ffn_parameters(d_model: int, d_ff: int, bias: bool = False) -> int:
    """W_1 (d_model, d_ff) and W_2 (d_ff, d_model): Vaswani et al. 2017, section 3.3.

    8 · d_model² where d_ff = 4 · d_model; with biases d_ff + d_model more.
    """
    weights = d_model * d_ff + d_ff * d_model
    biases = d_ff + d_model if bias else 0  # one number per output feature of each layer
    return weights + biases


def ffn_parameter_share(d_model: int, d_ff: int) -> float:
    """2 · d_model · d_ff / (4 · d_model² + 2 · d_model · d_ff): the feed-forward network's part of an encoder block.

    2/3 for d_ff = 4 · d_model. Weights only, no biases and no norms.
    """
    attention = 4 * d_model**2  # W^Q, W^K, W^V and W^O
    feed_forward = 2 * d_model * d_ff  # W_1 and W_2
    return feed_forward / (attention + feed_forward)


def flash_io(n: int, d: int, sram: int) -> tuple[int, int]:
    """Numbers that one head reads and writes in main memory: Dao et al. 2022, algorithms 0 and 1, forward pass.

    The first is for attention with its n × n arrays, the second for FlashAttention, whose chip holds sram numbers.
    Between two blocks of keys, the output and two numbers per query (its largest score, its sum) are in main memory.
    """
    scores = 2 * n * d + n * n  # reads Q and K, writes S
    mixing = n * n + 2 * n * d  # reads P and V, writes O
    standard = scores + (n * n + n * n) + mixing  # the softmax reads S and writes P

    rows = math.ceil(sram / (4 * d))  # blocks of Q, K, V and O are on the chip together
    blocks = math.ceil(n / rows)
    read = 2 * n * d + 2 * n  # Q, O and two numbers per query
    written = n * d + 2 * n  # O and two numbers per query
    return standard, written + 2 * n * d + blocks * (read + written)  # the start, K and V once, and every block
