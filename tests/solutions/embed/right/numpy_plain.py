"""NumPy, plain."""

import numpy as np


def embed(tokens, table, positions):
    n = tokens.shape[-1]
    return table[tokens] * table.shape[1] ** 0.5 + positions[:n]
