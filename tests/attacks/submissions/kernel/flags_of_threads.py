"""A thread whose maker waits for it in the kernel, which looks like waiting for a disk and costs no time.

tries: clone as for a thread with VFORK, PIDFD, PARENT, PTRACE, UNTRACED, IO or the signal of a process besides
observe: raises
"""

import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
THREAD = 0x00000100 | 0x00000200 | 0x00000400 | 0x00000800 | 0x00010000  # VM, FS, FILES, SIGHAND, THREAD
OTHERS = (0x00001000, 0x00002000, 0x00004000, 0x00008000, 0x00800000, 0x80000000, 17)


def scaled_dot_product_attention(q, k, v, mask=None):
    stack = ctypes.create_string_buffer(1 << 16)
    top = ctypes.c_void_p((ctypes.addressof(stack) + (1 << 16)) & ~15)
    wait = ctypes.cast(libc.usleep, ctypes.c_void_p)
    for other in OTHERS:
        ctypes.set_errno(0)
        if libc.clone(wait, top, THREAD | other, ctypes.c_void_p(1000)) != -1 or ctypes.get_errno() != errno.EPERM:
            raise RuntimeError(f"GOT past the filter with flag {other:#x}")
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))
