"""Blocks of queries outside, as in FlashAttention-2: another count than the one asked for.

caught-by: values
"""

import math


def flash_io(n, d, sram):
    blocks = math.ceil(n / math.ceil(sram / (4 * d)))
    return 4 * n * n + 4 * n * d, 2 * n * d + blocks * 2 * n * d
