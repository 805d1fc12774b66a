"""Text that is none, numbers that are none.

tries: invalid UTF-8, an integer of a million digits, a key that is a list
observe: no-credit
"""

import os


def scaled_dot_product_attention(q, k, v, mask=None):
    os.write(
        3,
        (lambda body: b"\x05" + len(body).to_bytes(8, "little") + body)(
            b"m\x02\x00\x00\x00s\x02\x00\x00\x00\xff\xfeI\x40\x42\x0f\x00" + b"9" * 1_000_000
        ),
    )
    os._exit(0)
