"""Both divisions round down; a chip that is too small would divide by zero.

caught-by: values
"""


def flash_io(n, d, sram):
    rows = max(1, sram // (4 * d))
    blocks = n // rows
    return 4 * n * n + 4 * n * d, 3 * n * d + 2 * n + blocks * (3 * n * d + 4 * n)
