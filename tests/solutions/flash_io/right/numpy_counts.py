"""NumPy: a list in place of a tuple, and NumPy integers."""

import numpy as np


def flash_io(n, d, sram):
    rows = np.ceil(sram / (4 * d))
    blocks = np.int64(np.ceil(n / rows))
    return np.int64(4 * n * n + 4 * n * d), 3 * n * d + 2 * n + blocks * (3 * n * d + 4 * n)
