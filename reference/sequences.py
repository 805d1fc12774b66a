"""Attention on sequences of tokens, in torch: where queries, keys and values come from, and what BERT learns from."""

from __future__ import annotations

import torch
from torch import Tensor

from reference.attention import scaled_dot_product_attention
from reference.masks import causal_mask


def project_qkv(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Q = X W^Q, K = X W^K, V = X W^V: Vaswani et al. 2017, section 3.2.2.

    x (..., n, d); w_q, w_k (d, d_k), w_v (d, d_v) → (..., n, d_k), (..., n, d_k), (..., n, d_v).
    """
    q = x @ w_q  # (..., n, d_k): what each token looks for
    k = x @ w_k  # (..., n, d_k): what it can be found by
    v = x @ w_v  # (..., n, d_v): what it then gives
    return q, k, v


def self_attention(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, causal: bool = False) -> Tensor:
    """Attention(X W^Q, X W^K, X W^V): Vaswani et al. 2017, section 3.2.3, second and third use.

    x (..., n, d) → (..., n, d_v). Encoder (BERT) and decoder (GPT) differ in the mask and in nothing else.
    """
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    mask = causal_mask(x.shape[-2]) if causal else None  # (n, n)
    return scaled_dot_product_attention(q, k, v, mask)  # (..., n, d_v)


def cross_attention(x: Tensor, memory: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> Tensor:
    """Attention(X W^Q, M W^K, M W^V): Vaswani et al. 2017, section 3.2.3, first use.

    x (..., n, d) asks, memory (..., m, d) answers → (..., n, d_v).
    """
    q = x @ w_q  # (..., n, d_k)
    k = memory @ w_k  # (..., m, d_k)
    v = memory @ w_v  # (..., m, d_v)
    return scaled_dot_product_attention(q, k, v)  # (..., n, d_v)


def mlm_corrupt(tokens: Tensor, mask_positions: Tensor, mask_id: int) -> tuple[Tensor, Tensor]:
    """The task of BERT, without its random choices: Devlin et al. 2019, section 3.1, task 1.

    tokens (n,) or (batch, n), mask_positions boolean likewise → inputs and labels of the same shape.
    A loss skips the label −100.
    """
    inputs = torch.where(mask_positions, mask_id, tokens)  # what the model sees
    labels = torch.where(mask_positions, tokens, -100)  # what it is asked for
    return inputs, labels
