"""Takes (batch, n) and nothing else.

caught-by: values
"""

import torch


def embed(tokens, table, positions):
    batch, n = tokens.shape
    return table[tokens] * table.shape[-1] ** 0.5 + positions[:n].expand(batch, n, -1)
