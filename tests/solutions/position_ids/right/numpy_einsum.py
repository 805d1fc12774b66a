"""NumPy: a triangle of ones counts the tokens."""

import numpy as np


def position_ids(attention_mask):
    n = attention_mask.shape[-1]
    count = np.einsum("...j,ij->...i", attention_mask.astype(int), np.tri(n, dtype=int))
    return count - (count > 0)
