"""Results that are each just small enough, for every call.

tries: return an array of almost four mebibytes, every time
observe: no-credit
"""

import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None):
    return np.zeros((1 << 22) - 2000, np.uint8)
