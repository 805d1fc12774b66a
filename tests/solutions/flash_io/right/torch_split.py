"""PyTorch: torch.split makes the blocks."""

import torch


def flash_io(n, d, sram):
    block_size = (sram + 4 * d - 1) // (4 * d)
    standard = 2 * n * d + n**2 + 2 * n**2 + n**2 + 2 * n * d
    flash = n * d + 2 * n
    for block in torch.split(torch.arange(n), block_size):
        flash += 2 * len(block) * d
        flash += n * d + 2 * (n * d + 2 * n)
    return standard, flash
