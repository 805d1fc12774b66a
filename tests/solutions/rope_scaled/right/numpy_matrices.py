"""NumPy: one rotation matrix per position, by einsum."""

import numpy as np


def apply_rope(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError("odd width")
    n = len(positions)
    rotations = np.zeros((n, d, d), dtype=x.dtype)
    for i in range(d // 2):
        angle = np.asarray(positions) * base ** (-2 * i / d)
        rotations[:, 2 * i, 2 * i] = np.cos(angle)
        rotations[:, 2 * i + 1, 2 * i + 1] = np.cos(angle)
        rotations[:, 2 * i, 2 * i + 1] = -np.sin(angle)
        rotations[:, 2 * i + 1, 2 * i] = np.sin(angle)
    return np.einsum("nij,...nj->...ni", rotations, x)


def rope_scaled(x, positions, trained_len, length, base=10000.0):
    scale = trained_len / length if length > trained_len else 1.0
    return apply_rope(x, positions * scale, base)
