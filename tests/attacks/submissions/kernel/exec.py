"""Another program in the place of this one.

tries: execve of a shell, of Python, of a script; execveat and fexecve of an open file
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
    none = (ctypes.c_char_p * 1)()
    for path in (b"/bin/true", b"/bin/sh", b"/usr/bin/env", os.fsencode(os.path.realpath("/proc/self/exe"))):
        arguments = (ctypes.c_char_p * 2)(path)
        libc.execve(path, arguments, none)
        libc.syscall(322 if X86 else 281, -100, path, arguments, none, 0)
    os.execv("/bin/true", ["true"])
