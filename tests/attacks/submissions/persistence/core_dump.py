"""A core file, in which everything of this process stands.

tries: dumpable again, a core limit again, another working folder, then an abort
observe: dies
"""

import ctypes
import os
import resource
import signal

libc = ctypes.CDLL(None)


def scaled_dot_product_attention(q, k, v, mask=None):
    libc.prctl(4, 1, 0, 0, 0)
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20))
    except (OSError, ValueError):
        pass
    for number in (signal.SIGABRT, signal.SIGQUIT, signal.SIGSEGV):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.chdir("@folder@")
    except OSError:
        pass
    libc.abort()
