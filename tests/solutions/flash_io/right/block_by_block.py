"""Blocks of the keys are counted one after the other, with their own sizes."""


def flash_io(n, d, sram):
    rows = (sram + 4 * d - 1) // (4 * d)
    moved = n * d + n + n
    first = 0
    while first < n:
        here = min(rows, n - first)
        moved += 2 * here * d
        moved += 2 * n * d + 2 * n
        moved += n * d + 2 * n
        first += here
    qk = n * d + n * d + n * n
    softmax = n * n + n * n
    pv = n * n + n * d + n * d
    return [qk + softmax + pv, moved]
