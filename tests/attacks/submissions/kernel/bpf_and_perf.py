"""Programs inside the kernel, and a look at it.

tries: bpf, perf_event_open, kexec, init_module, syslog, quotactl
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
    attribute = ctypes.create_string_buffer(128)
    bpf, perf, module, syslog = (321, 298, 175, 103) if X86 else (280, 241, 105, 116)
    attribute[0:4] = b"\x01\0\0\0"
    for result in (
        libc.syscall(bpf, 0, attribute, 72),
        libc.syscall(perf, attribute, 0, -1, -1, 0),
        libc.syscall(module, attribute, 128, b""),
        libc.syscall(syslog, 3, attribute, 128),
    ):
        if result >= 0:
            refused(result)
    refused(-1)
