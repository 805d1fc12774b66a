"""Refuses other counts.

caught-by: values
"""

import numpy as np


def alibi_slopes(num_heads):
    if num_heads & (num_heads - 1):
        raise ValueError("num_heads must be a power of two")
    return 2.0 ** (-8 * np.arange(1, num_heads + 1) / num_heads)
