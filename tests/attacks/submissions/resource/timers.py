"""Timers of the kernel, which count for the whole user.

tries: timer_create without end
observe: raises
plain: succeeds
"""

import ctypes
import platform

libc = ctypes.CDLL(None, use_errno=True)
CREATE = {"x86_64": 222, "aarch64": 107}.get(platform.machine(), 222)


def scaled_dot_product_attention(q, k, v, mask=None):
    event = (ctypes.c_int * 16)()
    event[2] = 10
    timer, made = ctypes.c_int(), 0
    while made < 5000 and libc.syscall(CREATE, 0, event, ctypes.byref(timer)) == 0:
        made += 1
    if made == 5000:
        raise RuntimeError(f"GOT {made} timers")
    raise OSError(ctypes.get_errno(), f"refused after {made}")
