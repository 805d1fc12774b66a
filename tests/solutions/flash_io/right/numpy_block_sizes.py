"""NumPy: an array of block sizes, summed."""

import numpy as np


def flash_io(n, d, sram):
    standard = 2 * n * d + n * n + 2 * n * n + n * n + n * d + n * d
    block = int(np.ceil(sram / (4 * d)))
    edges = np.append(np.arange(0, n, block), n)
    rows = np.diff(edges)
    flash = n * d + 2 * n + np.sum(2 * rows * d + 2 * n * d + 2 * n + n * d + 2 * n)
    return int(standard), int(flash)
