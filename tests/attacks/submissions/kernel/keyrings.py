"""Keys of the kernel, which outlive processes.

tries: keyctl, add_key, request_key
observe: raises
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
    keyctl, add, request = (250, 248, 249) if X86 else (219, 217, 218)
    for result in (
        libc.syscall(keyctl, 0, -3, 1),
        libc.syscall(keyctl, 1, b"left-@mark@"),
        libc.syscall(add, b"user", b"left-@mark@", b"x", 1, -4),
        libc.syscall(request, b"user", b"left-@mark@", None, -4),
    ):
        if result >= 0:
            refused(result)
    refused(-1)
