"""The two numbers per query are written for each block and never read.

caught-by: values
"""

import math


def flash_io(n, d, sram):
    standard = 4 * n * n + 4 * n * d
    rows = math.ceil(sram / (4 * d))
    blocks = math.ceil(n / rows)
    flash = n * d + 2 * n + 2 * n * d + blocks * (3 * n * d + 2 * n)
    return standard, flash
