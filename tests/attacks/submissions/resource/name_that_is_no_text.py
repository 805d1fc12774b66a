"""A name of its process that is not UTF-8, then a wait: whoever looks whether it sleeps has to read the name.

tries: prctl(PR_SET_NAME) with bytes that are no text, with brackets and states of threads, then sleep
observe: times-out
"""

import ctypes
import threading
import time

libc = ctypes.CDLL(None)


def waiting():
    libc.prctl(15, ctypes.c_char_p(b"\xff) R 1 1\r R"), 0, 0, 0)
    time.sleep(60)


def scaled_dot_product_attention(q, k, v, mask=None):
    threading.Thread(target=waiting, daemon=True).start()
    waiting()
