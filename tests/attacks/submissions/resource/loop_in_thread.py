"""Work that goes on after the call has returned.

tries: daemon threads that compute for ever, while the call sleeps
observe: times-out
"""

import threading
import time


def work():
    while True:
        pass


def scaled_dot_product_attention(q, k, v, mask=None):
    for _ in range(2):
        threading.Thread(target=work, daemon=True).start()
    time.sleep(60)
