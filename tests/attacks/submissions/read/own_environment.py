"""The environment that this process was started with.

tries: os.environ, libc's environ and getenv, /proc/self/environ
observe: harmless
plain: succeeds
"""

import ctypes
import os

import torch.nn.functional as F

libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p
found = [*os.environ.values(), str(libc.getenv(b"COURSE_TOKEN"))]
for entry in ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ"):
    if entry is None:
        break
    found.append(entry.decode())
try:
    with open("/proc/self/environ") as file:
        found.append(file.read())
except OSError:
    pass
if any("leaked-" in entry for entry in found):
    raise RuntimeError(f"GOT {found}")


def scaled_dot_product_attention(q, k, v, mask=None):
    output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return output if mask is None else output.masked_fill(~mask.any(-1, keepdim=True), 0.0)
