"""NumPy: pairs as complex numbers, and slower frequencies in place of smaller positions."""

import numpy as np


def rope_scaled(x, positions, trained_len, length, base=10000.0):
    d = x.shape[-1]
    if d % 2 != 0:
        raise ValueError(f"odd width {d}")
    frequencies = np.power(base, -2.0 * np.arange(d // 2) / d) * min(1.0, trained_len / length)
    turned = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * positions[:, np.newaxis] * frequencies)
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape).astype(x.dtype)
