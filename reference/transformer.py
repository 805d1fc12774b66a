"""A small encoder-decoder, put together from the pieces of this folder, and decoding with and without a cache."""

from __future__ import annotations

import copy
import math
from typing import cast

import torch
from torch import Tensor, nn

from reference.attention import scaled_dot_product_attention
from reference.blocks import DecoderLayer, EncoderLayer
from reference.decoding import KVCache
from reference.heads import MultiHeadAttention, merge_heads, split_heads
from reference.position import embed, sinusoidal_encoding


class Transformer(nn.Module):
    """Source tokens → memory → logits for the next target token: Vaswani et al. 2017, figure 1, without dropout.

    One table serves both embeddings and the output, as in section 3.4.
    """

    positions: Tensor

    def __init__(
        self, vocabulary: int, d_model: int, num_heads: int, d_ff: int, num_layers: int, max_len: int = 512
    ) -> None:
        """num_layers of the encoder, and as many of the decoder."""
        super().__init__()
        self.table = nn.Parameter(torch.randn(vocabulary, d_model) / math.sqrt(d_model))
        self.register_buffer("positions", sinusoidal_encoding(max_len, d_model))
        self.encoder = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff) for _ in range(num_layers))
        self.decoder = nn.ModuleList(DecoderLayer(d_model, num_heads, d_ff) for _ in range(num_layers))

    def encode(self, source: Tensor, mask: Tensor | None = None) -> Tensor:
        """source (batch, m) → memory (batch, m, d_model); mask as padding_mask gives it, (batch, 1, 1, m)."""
        x = embed(source, self.table, self.positions)  # (batch, m, d_model)
        for layer in self.encoder:
            x = layer(x, mask)
        return x

    def decode(self, inputs: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        """inputs (batch, n), shifted right → logits (batch, n, vocabulary), all positions in one pass."""
        x = embed(inputs, self.table, self.positions)  # (batch, n, d_model)
        for layer in self.decoder:
            x = layer(x, memory, memory_mask=memory_mask)
        return x @ self.table.T  # (batch, n, d_model) @ (d_model, vocabulary)


class CachedDecoder:
    """What ``Transformer.decode`` gives for the last position, for one more token at a time.

    Keys and values of the past are kept, and those of the memory are computed once (Shazeer 2019, section 2.4).
    """

    def __init__(self, model: Transformer, memory: Tensor) -> None:
        """memory (batch, m, d_model), as the encoder returned it; nothing of it is padding."""
        self.model = model
        self.layers = cast("list[DecoderLayer]", list(model.decoder))
        self.caches = [KVCache() for _ in self.layers]
        self.across = [keys_and_values(layer.cross_attention, memory) for layer in self.layers]

    def fork(self) -> CachedDecoder:
        """Another one at the same place, to go on with another token. Nothing large is copied."""
        other = copy.copy(self)
        other.caches = [copy.copy(cache) for cache in self.caches]
        return other

    def step(self, token: Tensor) -> Tensor:
        """token (batch,), the newest → logits (batch, vocabulary) of the one after it."""
        at = len(self.caches[0])
        x = embed(token[:, None], self.model.table, self.model.positions[at:])  # (batch, 1, d_model)
        for layer, cache, across in zip(self.layers, self.caches, self.across, strict=True):
            past = cache.append(*keys_and_values(layer.self_attention, x))
            x = layer.norm_1(x + attend(layer.self_attention, x, *past))
            x = layer.norm_2(x + attend(layer.cross_attention, x, *across))
            x = layer.norm_3(x + layer.feed_forward(x))
        return x[:, -1] @ self.model.table.T  # (batch, vocabulary)


def keys_and_values(attention: MultiHeadAttention, x: Tensor) -> tuple[Tensor, Tensor]:
    """x (batch, n, d_model) → keys and values of every head, each (batch, h, n, d_k)."""
    return split_heads(attention.w_k(x), attention.num_heads), split_heads(attention.w_v(x), attention.num_heads)


def attend(attention: MultiHeadAttention, x: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Multi-head attention of x (batch, 1, d_model) to keys and values that are there already."""
    q = split_heads(attention.w_q(x), attention.num_heads)  # (batch, h, 1, d_k)
    heads = scaled_dot_product_attention(q, k, v)  # (batch, h, 1, d_k)
    output: Tensor = attention.w_o(merge_heads(heads))  # (batch, 1, d_model)
    return output
