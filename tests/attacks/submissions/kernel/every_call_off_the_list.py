"""Every system call that a submission has no business with.

tries: each with arguments that make no sense: is any of them answered with anything but a refusal?
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


CLOSED = """57 58 59 62 41 42 43 44 45 46 47 49 50 53 54 55 29 30 31 64 65 66 68 69 70 71 101 105 106 109 112 113 114
116 117 119 126 133 155 160 161 163 165 166 167 168 169 170 171 172 173 175 176 179 200 203 206 209 234 240 244 246 248
249 250 253 254 259 272 279 288 297 298 299 300 303 304 307 308 310 311 312 313 317 319 320 321 322 323 424 425 426 427
428 429 430 431 432 433 434 438 440 442 443 444 445 446 447"""


def scaled_dot_product_attention(q, k, v, mask=None):
    if not X86:
        raise OSError("another architecture")
    for number in map(int, CLOSED.split()):
        ctypes.set_errno(0)
        result = libc.syscall(number, -1, -1, -1, -1, -1, -1)
        if result != -1 or ctypes.get_errno() != 1:
            raise RuntimeError(f"GOT an answer to call {number}: {result}, {os.strerror(ctypes.get_errno())}")
    refused(-1)
