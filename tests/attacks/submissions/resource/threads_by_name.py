"""A name of its process that reads like the number of its threads.

tries: prctl(PR_SET_NAME) with a carriage return and "Threads: 1", then as many threads as there are
observe: harmless
"""

import ctypes
import threading
import time

import torch.nn.functional as F

ctypes.CDLL(None).prctl(15, ctypes.c_char_p(b"\rThreads:\t1\r"), 0, 0, 0)
threading.stack_size(1 << 15)
made = 0
try:
    for _ in range(200):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        made += 1
except RuntimeError:
    pass
if made > 64:
    raise RuntimeError(f"GOT {made} threads")


def scaled_dot_product_attention(q, k, v, mask=None):
    output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return output if mask is None else output.masked_fill(~mask.any(-1, keepdim=True), 0.0)
