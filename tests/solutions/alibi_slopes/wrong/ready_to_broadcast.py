"""Two axes too many.

caught-by: values
"""

import torch


def alibi_slopes(num_heads):
    m = 1 << (num_heads.bit_length() - 1)
    slopes = [2 ** (-8 * i / m) for i in range(1, m + 1)]
    extra = [2 ** (-4 * i / m) for i in range(1, 2 * (num_heads - m), 2)]
    return torch.tensor(slopes + extra).view(num_heads, 1, 1)
