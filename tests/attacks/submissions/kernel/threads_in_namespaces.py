"""Namespaces by the one kind of clone that is allowed.

tries: clone as for a thread, with the flag of each namespace besides, or with too few of those of a thread
observe: raises
"""

import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
CLONE = 56 if platform.machine() == "x86_64" else 220
THREAD = 0x00000100 | 0x00000200 | 0x00000400 | 0x00000800 | 0x00010000  # VM, FS, FILES, SIGHAND, THREAD
SPACES = (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)


def scaled_dot_product_attention(q, k, v, mask=None):
    stack = ctypes.create_string_buffer(1 << 16)
    top = ctypes.addressof(stack) + (1 << 15)
    for space in SPACES:
        for base in (THREAD, THREAD & ~0x200, 0x00010000):
            ctypes.set_errno(0)
            result = libc.syscall(CLONE, ctypes.c_ulong(base | space), ctypes.c_void_p(top), 0, 0, 0)
            if result != -1 or ctypes.get_errno() != 1:
                raise RuntimeError("GOT past the filter with a thread in a namespace of its own")
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
