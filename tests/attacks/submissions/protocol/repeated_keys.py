"""One field, said twice.

tries: frames whose fields stand in them several times, with other values; ten thousand fields that nobody knows
observe: no-credit
"""

import os
import struct
import sys

from inside import frames


def text(value):
    return b"s" + struct.pack("<I", len(value)) + value


def scaled_dot_product_attention(q, k, v, mask=None):
    frame = sys._getframe()
    while not isinstance(frame.f_locals.get("number"), int):
        frame = frame.f_back
    number = b"i" + struct.pack("<q", frame.f_locals["number"])
    fields = [text(b"task") + b"i" + struct.pack("<q", 1 << 40), text(b"verdict") + text(b"passed")]
    fields += [text(b"field %d" % at) + b"N" for at in range(10000)]
    fields += [text(b"values") + b"N", text(b"task") + number, text(b"values") + b"l" + struct.pack("<I", 0)]
    body = b"m" + struct.pack("<I", len(fields)) + b"".join(fields)
    whole = memoryview(frames.HEADER.pack(frames.RETURNED, len(body)) + body)
    while whole:
        whole = whole[os.write(3, whole) :]
    os._exit(0)
