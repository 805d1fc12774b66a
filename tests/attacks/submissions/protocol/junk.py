"""Bytes that are no frame.

tries: random bytes on descriptor 3
observe: no-credit
"""

import os


def scaled_dot_product_attention(q, k, v, mask=None):
    os.write(3, os.urandom(5000))
    os._exit(0)
