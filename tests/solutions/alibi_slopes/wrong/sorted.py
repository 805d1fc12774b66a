"""The slopes in descending order.

caught-by: values
"""

import numpy as np


def alibi_slopes(num_heads):
    m = 2 ** int(np.log2(num_heads))
    slopes = 2.0 ** (-8 * np.arange(1, m + 1) / m)
    extra = 2.0 ** (-4 * np.arange(1, 2 * (num_heads - m), 2) / m)
    return np.sort(np.concatenate([slopes, extra]))[::-1]
