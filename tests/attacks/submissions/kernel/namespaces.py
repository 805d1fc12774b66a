"""Namespaces, in which one is root.

tries: unshare of each kind, clone with namespace flags, setns
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
    for flag in (0x10000000, 0x00020000, 0x20000000, 0x40000000, 0x08000000, 0x04000000, 0x02000000):
        for result in (libc.unshare(flag), libc.syscall(56 if X86 else 220, flag | 0x10900, 0, 0, 0, 0)):
            if result >= 0:
                refused(result)
    for kind in ("user", "mnt", "pid", "net"):
        try:
            fd = os.open(f"/proc/{os.getppid()}/ns/{kind}", os.O_RDONLY)
        except OSError:
            continue
        refused(libc.setns(fd, 0))
    refused(libc.unshare(0x10000000))
