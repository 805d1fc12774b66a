"""The table is multiplied where it lies.

caught-by: unchanged_inputs
"""

import numpy as np


def embed(tokens, table, positions):
    table *= table.dtype.type(np.sqrt(table.shape[-1]))
    return table[tokens] + positions[: tokens.shape[-1]]
