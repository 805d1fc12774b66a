"""A result that comes a byte at a time.

tries: the header of a frame, then one byte every few milliseconds on descriptor 3
observe: times-out
"""

import os
import time


def scaled_dot_product_attention(q, k, v, mask=None):
    os.write(3, b"\x05" + (1 << 20).to_bytes(8, "little"))
    while True:
        os.write(3, b"N")
        time.sleep(0.005)
