"""An array that claims to be large.

tries: 2**40 × 2**40 entries in a frame of fifty bytes; negative and overflowing sizes
observe: no-credit
"""

import os


def scaled_dot_product_attention(q, k, v, mask=None):
    os.write(
        3,
        (lambda body: b"\x05" + len(body).to_bytes(8, "little") + body)(
            b"a\x0b\x03\x00" + (1 << 40).to_bytes(8, "little") * 2 + (0).to_bytes(8, "little")
        ),
    )
    os._exit(0)
