"""The queries are read once in all.

caught-by: values
"""

import math


def flash_io(n, d, sram):
    standard = 4 * n * n + 4 * n * d
    rows = math.ceil(sram / (4 * d))
    blocks = math.ceil(n / rows)
    flash = n * d + 2 * n + 3 * n * d + blocks * (2 * n * d + 4 * n)
    return standard, flash
