"""Somebody else's open files.

tries: pidfd_open, pidfd_getfd, kcmp, /proc/PID/fd
observe: raises
"""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
PIDFD_OPEN, PIDFD_GETFD = 434, 438


def scaled_dot_product_attention(q, k, v, mask=None):
    for pid in (int("@grader@"), int("@zygote@"), os.getppid()):
        handle = libc.syscall(PIDFD_OPEN, pid, 0)
        for fd in range(20):
            stolen = libc.syscall(PIDFD_GETFD, handle, fd, 0)
            if stolen >= 0:
                raise RuntimeError(f"GOT descriptor {fd} of {pid}: {os.fstat(stolen)}")
    raise PermissionError(ctypes.get_errno(), "refused")
