"""A convolution, the size of its result, and pooling: the references of Q1, Q2 and Q4."""

from __future__ import annotations

from torch import Tensor


def convolve(image: Tensor, kernel: Tensor) -> Tensor:
    """Slides a kernel over images: out[i, j] = Σ_a Σ_b image[i + a, j + b] kernel[a, b].

    (..., height, width), (k_h, k_w) → (..., height − k_h + 1, width − k_w + 1).
    """
    rows, columns = kernel.shape
    windows = image.unfold(-2, rows, 1).unfold(-2, columns, 1)  # (..., height − k_h + 1, width − k_w + 1, k_h, k_w)
    products = windows * kernel  # the same shape
    return products.sum(dim=(-2, -1))  # (..., height − k_h + 1, width − k_w + 1)


def output_size(size: int, kernel: int, stride: int = 1, padding: int = 0, dilation: int = 1) -> int:
    """The number of places for a kernel on one axis (Dumoulin and Visin 2016)."""
    reach = dilation * (kernel - 1) + 1
    room = size + 2 * padding - reach
    return room // stride + 1


def max_pool(images: Tensor, size: int = 2) -> Tensor:
    """The largest entry of every block of size × size entries; rows and columns that fill no block are left out.

    (..., height, width) → (..., ⌊height / size⌋, ⌊width / size⌋).
    """
    rows = images.unfold(-2, size, size)  # (..., ⌊height / size⌋, width, size)
    blocks = rows.unfold(-2, size, size)  # (..., ⌊height / size⌋, ⌊width / size⌋, size, size)
    return blocks.amax(dim=(-2, -1))  # (..., ⌊height / size⌋, ⌊width / size⌋)
