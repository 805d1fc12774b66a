"""A frame of a kind that does not exist.

tries: kinds 0 and 255
observe: no-credit
"""

import os


def scaled_dot_product_attention(q, k, v, mask=None):
    os.write(3, b"\x00" + bytes(8) + b"\xff" + bytes(8))
    os._exit(0)
