"""A frame of sixteen exabytes.

tries: a header that announces 2**64 - 1 bytes
observe: no-credit
"""

import os


def scaled_dot_product_attention(q, k, v, mask=None):
    os.write(3, b"\x05" + b"\xff" * 8 + b"x" * 1000)
    os._exit(0)
