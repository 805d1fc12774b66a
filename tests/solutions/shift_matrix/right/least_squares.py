"""Fitted to the encoding itself."""

import numpy as np


def shift_matrix(delta, d_model, base=10000.0):
    pos = np.arange(400 + delta)[:, None]
    angle = pos * base ** (-(np.arange(d_model) // 2 * 2) / d_model)
    pe = np.where(np.arange(d_model) % 2 == 0, np.sin(angle), np.cos(angle))
    return np.linalg.lstsq(pe[:400], pe[delta:], rcond=None)[0]
