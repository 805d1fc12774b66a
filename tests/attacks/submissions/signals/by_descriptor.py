"""Signals that the kernel sends on behalf of a descriptor.

tries: F_SETOWN, F_SETOWN_EX, F_SETSIG, O_ASYNC on the shared pipes; signalfd, timerfd, pidfds as senders
observe: raises
"""

import ctypes
import fcntl
import os
import signal
import struct

libc = ctypes.CDLL(None, use_errno=True)


def scaled_dot_product_attention(q, k, v, mask=None):
    refused = None
    for fd in (0, 3, 4):
        for pid in (int("@grader@"), int("@zygote@"), os.getppid()):
            for act in (
                lambda fd=fd, pid=pid: fcntl.fcntl(fd, 8, pid),  # F_SETOWN
                lambda fd=fd, pid=pid: fcntl.fcntl(fd, 15, struct.pack("ii", 1, pid)),  # F_SETOWN_EX
                lambda fd=fd: fcntl.fcntl(fd, 10, int(signal.SIGUSR2)),  # F_SETSIG
                lambda pid=pid: os.pidfd_open(pid),
            ):
                try:
                    act()
                except OSError as error:
                    refused = error
                else:
                    raise RuntimeError(f"GOT a way to signal {pid} by descriptor {fd}")
        fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_ASYNC)
    if libc.signalfd(-1, ctypes.create_string_buffer(b"\xff" * 128), 0) >= 0 or libc.timerfd_create(1, 0) >= 0:
        raise RuntimeError("GOT a descriptor that signals")
    raise refused
