"""The same calls under their x32 numbers.

tries: open and fork with bit 30 set in the number; the 32-bit entry by int 0x80
observe: no-credit
"""

import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"


def refused(result):
    if result >= 0:
        raise RuntimeError("GOT it")
    number = ctypes.get_errno()
    raise OSError(number, os.strerror(number))


def scaled_dot_product_attention(q, k, v, mask=None):
    if not X86:
        raise OSError("another architecture")
    fd = libc.syscall(0x40000000 | 2, b"@secret_file@", 0)
    if fd >= 0:
        raise RuntimeError(f"GOT {os.read(fd, 100)}")
    if libc.syscall(0x40000000 | 57) > 0:
        raise RuntimeError("GOT a process")
