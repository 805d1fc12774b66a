"""PyTorch: the sizes come from arrays on the meta device, which hold nothing."""

import torch


def flash_io(n, d, sram):
    def moved(*shapes):
        return sum(torch.empty(shape, device="meta").numel() for shape in shapes)

    qkvo, square, stats = (n, d), (n, n), (n, 2)
    standard = moved(qkvo, qkvo, square) + moved(square, square) + moved(square, qkvo, qkvo)
    rows = -(-sram // (4 * d))
    blocks = -(-n // rows)
    each = moved(qkvo, qkvo, stats) + moved(qkvo, stats)
    return standard, moved(qkvo, stats) + moved(qkvo, qkvo) + blocks * each
