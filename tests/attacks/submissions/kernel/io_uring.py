"""System calls that no filter of system calls sees.

tries: io_uring_setup, io_setup, userfaultfd, fanotify, inotify, memfd_secret
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
    parameters = ctypes.create_string_buffer(256)
    context = ctypes.c_ulong()
    for result in (
        libc.syscall(425, 4, parameters),
        libc.syscall(206 if X86 else 0, 4, ctypes.byref(context)),
        libc.syscall(323 if X86 else 282, 0),
        libc.syscall(323 if X86 else 282, 1),
        libc.syscall(300 if X86 else 262, 0, 0),
        libc.inotify_init1(0),
        libc.syscall(447, 0),
    ):
        if result >= 0:
            refused(result)
    refused(-1)
