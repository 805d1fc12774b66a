"""Processes that make processes.

tries: os.fork in a loop (bounded here), libc's fork and vfork, clone by number
observe: raises
plain: succeeds
"""

import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
CLONE = {"x86_64": 56, "aarch64": 220}.get(platform.machine(), 56)


def scaled_dot_product_attention(q, k, v, mask=None):
    made = 0
    for fork in (os.fork, libc.fork, lambda: libc.syscall(CLONE, 17, 0, 0, 0, 0)):
        try:
            pid = fork()
        except OSError as error:
            refused = error
            continue
        if pid == 0:
            os._exit(0)
        if pid > 0:
            os.waitpid(pid, 0)
            made += 1
    if made:
        raise RuntimeError(f"GOT {made} processes")
    raise refused
