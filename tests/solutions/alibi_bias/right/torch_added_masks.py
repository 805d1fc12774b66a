"""The bias plus an additive causal mask; the last rows of a large square."""

import torch


def alibi_slopes(h):
    m = 1 << (h.bit_length() - 1)
    first = 2.0 ** (-8.0 * torch.arange(1, m + 1, dtype=torch.float64) / m)
    second = 2.0 ** (-4.0 * torch.arange(1, 2 * m, 2, dtype=torch.float64) / m)
    return torch.cat((first, second))[:h]


def alibi_bias(num_heads, n_q, n_k):
    n = max(n_q, n_k)
    at = torch.arange(n)
    distance = (at[:, None] - at[None, :]).clamp(min=0)
    causal = torch.full((n, n), float("-inf"), dtype=torch.float64).triu(1)
    whole = causal - alibi_slopes(num_heads).view(-1, 1, 1) * distance
    return whole[:, n - n_q :, n - n_k :]
