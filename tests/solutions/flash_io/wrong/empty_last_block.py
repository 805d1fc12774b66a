"""One block more than the full ones, even if nothing is left.

caught-by: values
"""

import math


def flash_io(n, d, sram):
    standard = 4 * n * n + 4 * n * d
    rows = math.ceil(sram / (4 * d))
    blocks = n // rows + 1
    flash = n * d + 2 * n + 2 * n * d + blocks * (3 * n * d + 4 * n)
    return standard, flash
