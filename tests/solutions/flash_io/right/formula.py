"""The closed formula."""

import math


def flash_io(n, d, sram):
    t = math.ceil(n / math.ceil(sram / (4 * d)))
    return 4 * n * (n + d), n * (3 * d + 2 + t * (3 * d + 4))
