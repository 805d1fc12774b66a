"""The short last block is read as if it were full.

caught-by: values
"""

import math


def flash_io(n, d, sram):
    standard = 4 * n * n + 4 * n * d
    rows = math.ceil(sram / (4 * d))
    blocks = math.ceil(n / rows)
    flash = n * d + 2 * n + blocks * 2 * rows * d + blocks * (3 * n * d + 4 * n)
    return standard, flash
