"""A value that is nested deeper than a stack.

tries: a hundred thousand lists in each other
observe: no-credit
"""

import os


def scaled_dot_product_attention(q, k, v, mask=None):
    os.write(3, (lambda body: b"\x05" + len(body).to_bytes(8, "little") + body)(b"l\x01\x00\x00\x00" * 100_000 + b"N"))
    os._exit(0)
