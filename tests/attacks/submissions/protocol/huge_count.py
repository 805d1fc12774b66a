"""A list that claims to be long.

tries: a count of 2**32 - 1 entries, each an empty list
observe: no-credit
"""

import os


def scaled_dot_product_attention(q, k, v, mask=None):
    os.write(
        3,
        (lambda body: b"\x05" + len(body).to_bytes(8, "little") + body)(
            b"l\xff\xff\xff\xff" + b"l\x00\x00\x00\x00" * 400_000
        ),
    )
    os._exit(0)
