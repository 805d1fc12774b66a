"""exp instead of a power of two.

caught-by: values
"""

import math

import torch


def alibi_slopes(num_heads):
    m = 1 << (num_heads.bit_length() - 1)
    slopes = [math.exp(-8 * i / m) for i in range(1, m + 1)]
    extra = [math.exp(-4 * i / m) for i in range(1, 2 * (num_heads - m), 2)]
    return torch.tensor(slopes + extra)
