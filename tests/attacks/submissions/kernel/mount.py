"""Another file system over this one.

tries: mount, bind mounts, the new mount calls, umount, pivot_root
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
    for result in (
        libc.mount(b"none", b"/tmp", b"tmpfs", 0, None),
        libc.mount(b"/", b"/tmp", None, 0x1000, None),
        libc.syscall(430, b"tmpfs", 0),
        libc.syscall(428, -100, b"/", 1),
        libc.syscall(442, -100, b"/", 0, None, 0),
        libc.umount2(b"/proc", 2),
        libc.syscall(155 if X86 else 41, b"/", b"/"),
    ):
        if result >= 0:
            refused(result)
    refused(-1)
