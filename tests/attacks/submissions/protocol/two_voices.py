"""Two threads that speak at once.

tries: a thread that writes frames while the call runs, and bytes between the bytes of others
observe: no-credit
"""

import os
import threading

import torch


def chatter():
    while True:
        os.write(3, b"\x05" + bytes(8))


threading.Thread(target=chatter, daemon=True).start()


def scaled_dot_product_attention(q, k, v, mask=None):
    return torch.zeros(1 << 16)
