"""Points on the unit circle."""

import numpy as np


def sinusoidal_encoding(n, d_model, base=10000.0):
    if d_model % 2:
        raise ValueError("d_model has to be even")
    z = np.exp(1j * np.outer(np.arange(n), base ** (-np.arange(d_model // 2) * 2 / d_model)))
    return np.stack([z.imag, z.real], axis=2).reshape(n, d_model)
