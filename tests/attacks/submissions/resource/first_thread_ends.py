"""The first thread of the process ends, and others live on: its clocks and its state are those of a dead one.

tries: exit(2) of the main thread while another thread computes
observe: times-out
"""

import ctypes
import platform
import threading

EXIT = 60 if platform.machine() == "x86_64" else 93


def compute():
    while True:
        pass


def scaled_dot_product_attention(q, k, v, mask=None):
    threading.Thread(target=compute, daemon=True).start()
    ctypes.CDLL(None).syscall(EXIT, 0)
