"""Threads without number.

tries: a thousand threads that wait, with small stacks
observe: no-credit
"""

import threading
import time


def scaled_dot_product_attention(q, k, v, mask=None):
    threading.stack_size(1 << 16)
    for _ in range(1000):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
