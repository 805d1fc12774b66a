"""The orders of magnitude of the theorem, taken for counts.

caught-by: values
"""


def flash_io(n, d, sram):
    return n * d + n**2, n**2 * d**2 // sram
