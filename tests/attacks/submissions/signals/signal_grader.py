"""A signal for the grader.

tries: kill, tgkill, rt_sigqueueinfo, pidfd_send_signal with SIGUSR2
observe: raises
plain: succeeds
"""

import ctypes
import os
import platform
import signal

libc = ctypes.CDLL(None, use_errno=True)
PID = int("@grader@")
TGKILL, QUEUE = {"x86_64": (234, 129), "aarch64": (131, 138)}.get(platform.machine(), (234, 129))


def scaled_dot_product_attention(q, k, v, mask=None):
    info = ctypes.create_string_buffer(128)
    if libc.syscall(TGKILL, PID, PID, 12) == 0 or libc.syscall(QUEUE, PID, 12, info) == 0:
        raise RuntimeError("GOT a signal through")
    try:
        handle = os.pidfd_open(PID)
    except OSError:
        os.kill(PID, signal.SIGUSR2)
    else:
        signal.pidfd_send_signal(handle, signal.SIGUSR2)
    raise RuntimeError("GOT a signal through")
