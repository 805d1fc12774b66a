"""A note for the next submission, in the kernel.

tries: shmget, semget, msgget with a key of our own
observe: harmless
"""

import ctypes

import torch.nn.functional as F

libc = ctypes.CDLL(None, use_errno=True)
KEY = int("@key@")
IPC_CREAT = 0o1000
for made in (
    libc.shmget(KEY, 4096, IPC_CREAT | 0o600),
    libc.semget(KEY, 1, IPC_CREAT | 0o600),
    libc.msgget(KEY, IPC_CREAT | 0o600),
):
    if made >= 0:
        raise RuntimeError("GOT an object that stays")


def scaled_dot_product_attention(q, k, v, mask=None):
    output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return output if mask is None else output.masked_fill(~mask.any(-1, keepdim=True), 0.0)
