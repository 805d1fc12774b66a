"""The positions of the first call are kept.

caught-by: values
"""

import numpy as np

kept = None


def embed(tokens, table, positions):
    global kept
    if kept is None:
        kept = positions
    return table[tokens] * np.sqrt(table.shape[-1]) + kept[: tokens.shape[-1]]
