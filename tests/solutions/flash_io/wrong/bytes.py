"""Bytes in half precision, not numbers.

caught-by: values
"""

import math


def flash_io(n, d, sram):
    blocks = math.ceil(n / math.ceil(sram / (4 * d)))
    return 2 * (4 * n * n + 4 * n * d), 2 * (3 * n * d + 2 * n + blocks * (3 * n * d + 4 * n))
