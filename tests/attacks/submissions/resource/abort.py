"""An abort.

tries: abort() of the C library
observe: dies
"""

import os


def scaled_dot_product_attention(q, k, v, mask=None):
    os.abort()
