"""Files without their paths.

tries: name_to_handle_at, open_by_handle_at, openat2, opening through /proc/self/root, cwd, fd
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


def scaled_dot_product_attention(q, k, v, mask=None):
    handle = ctypes.create_string_buffer(136)
    handle[0:4] = (128).to_bytes(4, "little")
    mount = ctypes.c_int()
    by_name, by_handle = (303, 304) if X86 else (264, 265)
    how = (ctypes.c_uint64 * 3)(0, 0, 0)
    if libc.syscall(by_name, -100, b"@secret_file@", handle, ctypes.byref(mount), 0) == 0:
        fd = libc.syscall(by_handle, -100, handle, 0)
        if fd >= 0:
            raise RuntimeError(f"GOT {os.read(fd, 100)}")
    fd = libc.syscall(437, -100, b"@secret_file@", how, 24)
    if fd >= 0:
        raise RuntimeError(f"GOT {os.read(fd, 100)}")
    for way in ("/proc/self/root", "/proc/thread-self/root", f"/proc/{os.getppid()}/root", "/proc/self/cwd"):
        try:
            with open(way + "@secret_file@") as file:
                raise RuntimeError("GOT " + file.read())
        except OSError:
            pass
    refused(-1)
