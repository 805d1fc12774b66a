"""logspace with base 2."""

import torch


def alibi_slopes(num_heads):
    m = 1 << (num_heads.bit_length() - 1)
    slopes = torch.logspace(-8 / m, -8, m, base=2.0)
    finer = torch.logspace(-4 / m, -8, 2 * m, base=2.0)
    return torch.hstack((slopes, finer[:: 2][: num_heads - m]))
