"""Sample by sample."""

import numpy as np


def padding_mask(lengths, max_len):
    mask = np.zeros((len(lengths), 1, 1, max_len), dtype=bool)
    for b, length in enumerate(lengths):
        mask[b, 0, 0, :length] = True
    return mask
