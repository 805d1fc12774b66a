"""Kronecker products."""

import numpy as np


def shift_matrix(delta, d_model, base=10000.0):
    angle = delta * base ** (-2 * np.arange(d_model // 2) / d_model)
    return np.kron(np.diag(np.cos(angle)), np.eye(2)) + np.kron(np.diag(np.sin(angle)), np.array([[0, -1], [1, 0]]))
