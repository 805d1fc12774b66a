"""Waiting for every processor of the machine, which looks like waiting for a disk and costs next to no time.

tries: membarrier(2) with every command that waits, and with that which asks for the commands
observe: raises
"""

import ctypes
import errno
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
MEMBARRIER = 324 if platform.machine() == "x86_64" else 283


def scaled_dot_product_attention(q, k, v, mask=None):
    for command in (0, *(1 << bit for bit in range(10))):
        ctypes.set_errno(0)
        if libc.syscall(MEMBARRIER, command, 0, 0) != -1 or ctypes.get_errno() != errno.EPERM:
            raise RuntimeError(f"GOT past the filter with command {command}")
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))
