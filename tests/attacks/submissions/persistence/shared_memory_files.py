"""A note for the next submission, in memory.

tries: /dev/shm, multiprocessing.shared_memory, named semaphores, POSIX message queues, memfd
observe: harmless
"""

import ctypes
import os
from multiprocessing import shared_memory

import torch.nn.functional as F

libc = ctypes.CDLL(None, use_errno=True)


def refused(number):
    if number >= 0:
        raise RuntimeError("GOT a note that stays")
    raise OSError(ctypes.get_errno(), "refused")


def sem_open():
    libc.sem_open.restype = ctypes.c_void_p
    if libc.sem_open(b"/left-@mark@", os.O_CREAT, 0o600, 1):
        raise RuntimeError("GOT a semaphore")
    raise OSError(ctypes.get_errno(), "refused")


for act in (
    lambda: open("/dev/shm/left-@mark@", "w"),
    lambda: shared_memory.SharedMemory("left-@mark@-shm", create=True, size=64),
    lambda: refused(libc.shm_open(b"/left-@mark@-c", os.O_CREAT | os.O_RDWR, 0o600)),
    lambda: refused(libc.mq_open(b"/left-@mark@", os.O_CREAT | os.O_RDWR, 0o600, None)),
    lambda: refused(os.memfd_create("left-@mark@")),
    sem_open,
):
    try:
        act()
    except OSError:
        continue
    raise RuntimeError("GOT shared memory")


def scaled_dot_product_attention(q, k, v, mask=None):
    output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return output if mask is None else output.masked_fill(~mask.any(-1, keepdim=True), 0.0)
