"""The 32-bit entry of the kernel, with numbers of its own.

tries: machine code: int 0x80 with the 32-bit number of fork
observe: no-credit
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


import mmap


def scaled_dot_product_attention(q, k, v, mask=None):
    if not X86:
        raise OSError("another architecture")
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(b"\x53\xb8\x02\x00\x00\x00\xcd\x80\x5b\xc3")  # push rbx; mov eax, 2; int 0x80; pop rbx; ret
    made = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
    if made == 0:
        os._exit(0)
    if made > 0:
        raise RuntimeError("GOT a process")
