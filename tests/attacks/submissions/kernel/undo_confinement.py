"""The confinement itself, taken back.

tries: prctl of dumpable, no_new_privs, seccomp, parent-death signal, subreaper; another Landlock domain; personality
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
    allow = (ctypes.c_ubyte * 8)(0x06, 0, 0, 0, 0, 0, 0xFF, 0x7F)
    program = ctypes.create_string_buffer(16)
    program[0:2] = b"\x01\0"
    program[8:16] = ctypes.addressof(allow).to_bytes(8, "little")
    for result in (
        libc.prctl(4, 1, 0, 0, 0),
        libc.prctl(1, 0, 0, 0, 0),
        libc.prctl(36, 1, 0, 0, 0),
        libc.prctl(0x59616D61, -1, 0, 0, 0),
        libc.prctl(22, 2, program, 0, 0),
        libc.syscall(317 if X86 else 277, 1, 0, program),
        libc.syscall(444, None, 0, 1),
        libc.personality(0x0040000),
    ):
        if result >= 0:
            refused(result)
    refused(-1)
