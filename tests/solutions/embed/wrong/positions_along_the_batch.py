"""Each sequence gets one position.

caught-by: values
"""

import numpy as np


def embed(tokens, table, positions):
    x = table[tokens] * np.sqrt(table.shape[-1])
    if tokens.ndim == 1:
        return x + positions[: len(tokens)]
    return x + positions[: tokens.shape[0], None]
