"""Asks for threads that it is refused, again and again: each question takes time of the process that answers.

tries: 60 threads, then clone in a loop, in every call
observe: dies or times-out
limits: short
"""

import ctypes
import platform
import threading
import time

libc = ctypes.CDLL(None)
CLONE = 56 if platform.machine() == "x86_64" else 220
threading.stack_size(1 << 15)
try:
    for _ in range(200):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
except RuntimeError:
    pass


def scaled_dot_product_attention(q, k, v, mask=None):
    while True:
        libc.syscall(CLONE, 0x10F00, 0, 0, 0, 0)
