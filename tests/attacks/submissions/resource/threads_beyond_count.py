"""Many threads at the same time, so small that no limit on memory stops them.

tries: two hundred threads that wait, with the smallest stacks; again while the first are alive
observe: harmless
"""

import threading
import time

import torch.nn.functional as F

threading.stack_size(1 << 15)
made = 0
for _ in range(2):
    try:
        for _ in range(200):
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
            made += 1
    except RuntimeError:
        pass
if made >= 128:
    raise RuntimeError(f"GOT {made} threads")


def scaled_dot_product_attention(q, k, v, mask=None):
    output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return output if mask is None else output.masked_fill(~mask.any(-1, keepdim=True), 0.0)
