"""Returns output and weights."""

import torch


def decode_step(x_t, cache, w_q, w_k, w_v):
    k, v = cache.append(x_t @ w_k, x_t @ w_v)
    scores = torch.einsum("...qd,...kd->...qk", x_t @ w_q, k)
    weights = (scores * k.size(-1) ** -0.5).softmax(-1)
    return torch.einsum("...qk,...kd->...qd", weights, v), weights
