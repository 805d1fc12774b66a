"""A right answer, and an end that never comes.

tries: atexit, __del__ and a thread that is waited for, which keep the process from ending
observe: harmless
limits: usual
"""

import atexit
import threading
import time

import torch.nn.functional as F


class Forever:
    def __del__(self):
        while True:
            pass


kept = Forever()
atexit.register(lambda: time.sleep(3600))
threading.Thread(target=time.sleep, args=(3600,)).start()


def scaled_dot_product_attention(q, k, v, mask=None):
    output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return output if mask is None else output.masked_fill(~mask.any(-1, keepdim=True), 0.0)
