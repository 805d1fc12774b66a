"""The terminal that the grader was started from.

tries: TIOCSTI, TIOCSCTTY, TIOCLINUX, TIOCSWINSZ; /dev/tty, /dev/console, /dev/pts
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


import fcntl


def scaled_dot_product_attention(q, k, v, mask=None):
    for fd in range(4):
        for request in (0x5412, 0x540E, 0x541C, 0x5414, 0x5401, 0x5421):
            try:
                fcntl.ioctl(fd, request, b"x" * 8)
            except OSError:
                continue
            raise RuntimeError(f"GOT ioctl {request:#x} on {fd}")
    for path in ("/dev/tty", "/dev/console", "/dev/pts/0", "/dev/ptmx", "/dev/kmsg", "/dev/mem", "/dev/fuse"):
        try:
            raise RuntimeError(f"GOT {path}: {os.open(path, os.O_RDWR)}")
        except OSError:
            pass
    refused(-1)
