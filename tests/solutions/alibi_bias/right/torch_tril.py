"""A lower triangle, then masked_fill."""

import torch


def alibi_slopes(h):
    m = 1 << (h.bit_length() - 1)
    return torch.tensor([2 ** (-8 * i / m) for i in range(1, m + 1)] + [2 ** (-4 * i / m) for i in range(1, 2 * (h - m), 2)])


def alibi_bias(num_heads, n_q, n_k):
    allowed = torch.ones(n_q, n_k, dtype=torch.bool).tril(diagonal=n_k - n_q)
    relative = torch.arange(n_k) - (torch.arange(n_q)[:, None] + n_k - n_q)
    bias = torch.einsum("h,qk->hqk", alibi_slopes(num_heads), relative.float())
    return bias.masked_fill(~allowed, float("-inf"))
