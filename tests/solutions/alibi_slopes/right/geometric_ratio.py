"""Each slope is the last one times the ratio."""

import numpy as np


def power_of_two(h):
    ratio = 0.5 ** (8 / h)
    slopes = [ratio]
    while len(slopes) < h:
        slopes.append(slopes[-1] * ratio)
    return slopes


def alibi_slopes(num_heads):
    m = max(p for p in (1, 2, 4, 8, 16, 32, 64, 128) if p <= num_heads)
    between = power_of_two(2 * m)[0::2]
    return np.array(power_of_two(m) + between[: num_heads - m], dtype=np.float32)
