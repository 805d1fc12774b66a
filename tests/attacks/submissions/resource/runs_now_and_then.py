"""Sleeps nearly all the time, but some thread always runs when somebody looks whether it sleeps.

tries: 40 threads that run for 0.2 ms out of every 5, at different moments, beside a main thread that sleeps
observe: times-out
"""

import ctypes
import threading
import time

ctypes.CDLL(None).mallopt(-8, 1)  # one arena for all threads
threading.stack_size(1 << 16)


def now_and_then(phase):
    time.sleep(phase)
    while True:
        until = time.monotonic() + 0.0002
        while time.monotonic() < until:
            pass
        time.sleep(0.0048)


def scaled_dot_product_attention(q, k, v, mask=None):
    for at in range(40):
        threading.Thread(target=now_and_then, args=(at * 0.000125,), daemon=True).start()
    time.sleep(100)
