"""The same file without Python's open.

tries: open, openat and O_PATH through ctypes, mmap of what is opened
observe: raises
plain: succeeds
"""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
PATH = b"@secret_file@"
O_PATH = 0o10000000


def attempt():
    for fd in (libc.open(PATH, 0), libc.openat(-100, PATH, 0)):
        if fd >= 0:
            return os.read(fd, 100)
    handle = libc.open(PATH, O_PATH)
    if handle >= 0:
        again = libc.open(f"/proc/self/fd/{handle}".encode(), 0)
        if again >= 0:
            return os.read(again, 100)
        return os.read(handle, 100)
    raise PermissionError(ctypes.get_errno(), "refused")


def scaled_dot_product_attention(q, k, v, mask=None):
    raise RuntimeError(f"GOT {attempt()}")
