"""A process that stands still and never ends.

tries: SIGSTOP by kill and raise, by a timer; then a wait for a signal that never comes
observe: times-out
"""

import ctypes
import os
import platform
import signal

libc = ctypes.CDLL(None, use_errno=True)
CREATE, SETTIME = {"x86_64": (222, 223), "aarch64": (107, 110)}.get(platform.machine(), (222, 223))


def scaled_dot_product_attention(q, k, v, mask=None):
    event, timer, when = (ctypes.c_int * 16)(), ctypes.c_int(), (ctypes.c_long * 4)(0, 0, 0, 1)
    event[2] = signal.SIGSTOP
    if libc.syscall(CREATE, 1, event, ctypes.byref(timer)) == 0:
        libc.syscall(SETTIME, timer, 0, when, None)
    for stop in (lambda: os.kill(os.getpid(), signal.SIGSTOP), lambda: signal.raise_signal(signal.SIGSTOP)):
        try:
            stop()
        except OSError:
            pass
    while True:
        signal.sigtimedwait([signal.SIGUSR1], 60)
