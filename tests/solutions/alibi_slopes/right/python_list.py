"""A list of Python floats, as the authors of ALiBi wrote it."""

import math


def alibi_slopes(num_heads):
    def powers(count):
        start = 2 ** (-(2 ** -(math.log2(count) - 3)))
        return [start * start**i for i in range(count)]

    if math.log2(num_heads).is_integer():
        return powers(num_heads)
    below = 2 ** math.floor(math.log2(num_heads))
    return powers(below) + alibi_slopes(2 * below)[0::2][: num_heads - below]
