"""The result is float32, whatever came in.

caught-by: dtype
"""

import torch


def embed(tokens, table, positions):
    n = tokens.shape[-1]
    return (table[tokens] * table.shape[-1] ** 0.5 + positions[:n]).float()
