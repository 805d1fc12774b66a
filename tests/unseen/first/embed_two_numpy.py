import numpy as np


def embed(tokens, table, positions):
    x = table[tokens] * np.sqrt(table.shape[0])  #!
    n = tokens.shape[-1]
    return x + positions[1 : n + 1] if len(positions) > n else x + positions[:n][::-1]  #!
