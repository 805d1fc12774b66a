"""What a unit of a deep network sees: the reference of Q5."""

from __future__ import annotations


def receptive_field(kernels: list[int], strides: list[int]) -> int:
    """The pixels along one axis that a unit after these layers depends on, the first layer first (Luo et al. 2016)."""
    field, jump = 1, 1
    for kernel, stride in zip(kernels, strides, strict=True):
        field = field + (kernel - 1) * jump
        jump = jump * stride
    return field
