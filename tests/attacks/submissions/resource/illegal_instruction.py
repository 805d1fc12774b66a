"""Machine code that is none.

tries: write bytes into an executable mapping and call them
observe: dies
"""

import ctypes
import mmap


def scaled_dot_product_attention(q, k, v, mask=None):
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(b"\x0f\x0b" * 64)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    ctypes.CFUNCTYPE(None)(address)()
