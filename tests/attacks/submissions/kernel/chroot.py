"""Another root, another working folder, other owners.

tries: chroot, chdir, fchdir, umask, setuid, setgid, setgroups, capset
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
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
    for result in (
        libc.chroot(b"/tmp"),
        libc.chdir(b"/tmp"),
        libc.setuid(0),
        libc.setresuid(0, 0, 0),
        libc.setgid(0),
        libc.setgroups(0, None),
        libc.capset(header, data),
    ):
        if result >= 0:
            refused(result)
    refused(-1)
