"""Token by token."""

import math

import numpy as np


def embed(tokens, table, positions):
    d_model = table.shape[1]
    flat = tokens.reshape(-1, tokens.shape[-1])
    out = np.empty((*flat.shape, d_model), dtype=table.dtype)
    for row in range(flat.shape[0]):
        for t in range(flat.shape[1]):
            for i in range(d_model):
                out[row, t, i] = table[flat[row, t], i] * math.sqrt(d_model) + positions[t, i]
    return out.reshape(*tokens.shape, d_model)
