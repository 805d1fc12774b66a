"""A debugger's hold on the processes around.

tries: PTRACE_ATTACH, PTRACE_SEIZE of parent, zygote and grader; PTRACE_TRACEME
observe: raises
"""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
TRACEME, ATTACH, DETACH, SEIZE = 0, 16, 17, 0x4206


def scaled_dot_product_attention(q, k, v, mask=None):
    for pid in (os.getppid(), int("@zygote@"), int("@grader@")):
        if libc.ptrace(SEIZE, pid, 0, 0) == 0 or libc.ptrace(ATTACH, pid, 0, 0) == 0:
            libc.ptrace(DETACH, pid, 0, 0)
            raise RuntimeError(f"GOT hold of {pid}")
    if libc.ptrace(TRACEME, 0, 0, 0) == 0:
        raise RuntimeError("GOT traced")
    raise PermissionError(ctypes.get_errno(), "refused")
