"""Every array that is moved, in a list."""

from math import ceil


def flash_io(n, d, sram):
    standard = sum([n * d, n * d, n * n, n * n, n * n, n * n, n * d, n * d])
    block = -(-sram // (4 * d))
    flash = n * d + 2 * n
    for _ in range(ceil(n / block)):
        flash += sum([n * d, n * d, 2 * n, n * d, 2 * n])
    return standard, flash + 2 * n * d
