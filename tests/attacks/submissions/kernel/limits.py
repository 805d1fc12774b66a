"""Limits, raised again.

tries: setrlimit and prlimit of this process, of the zygote and of the grader
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


import resource


def scaled_dot_product_attention(q, k, v, mask=None):
    pair = (ctypes.c_ulong * 2)(2**64 - 1, 2**64 - 1)
    for which in range(16):
        for pid in (0, os.getppid(), int("@grader@")):
            if libc.prlimit(pid, which, pair, None) == 0:
                refused(0)
        try:
            resource.setrlimit(which, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        except (OSError, ValueError):
            continue
        refused(0)
    refused(-1)
