"""A fault in memory.

tries: read address 0 through ctypes
observe: dies
"""

import ctypes


def scaled_dot_product_attention(q, k, v, mask=None):
    return ctypes.string_at(0)
