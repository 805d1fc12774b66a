"""A wait while the file is loaded.

tries: a lock that is taken twice, at import
observe: times-out
"""

import threading


def scaled_dot_product_attention(q, k, v, mask=None):
    return v


lock = threading.Lock()
lock.acquire()
lock.acquire()
