"""Sorts the caller's lengths.

caught-by: values, unchanged_inputs
"""

import numpy as np


def padding_mask(lengths, max_len):
    lengths.sort()
    return (np.arange(max_len) < lengths[::-1, None])[:, None, None, :]
