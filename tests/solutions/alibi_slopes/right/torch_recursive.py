"""A recursion on the next power of two."""

import torch


def alibi_slopes(num_heads):
    if num_heads & (num_heads - 1) == 0:
        return torch.tensor([2 ** (-8 * i / num_heads) for i in range(1, num_heads + 1)])
    m = 1
    while 2 * m < num_heads:
        m *= 2
    return torch.cat([alibi_slopes(m), alibi_slopes(2 * m)[::2][: num_heads - m]])
