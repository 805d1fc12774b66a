"""The last word, at the end of the process.

tries: atexit, threading shutdown hooks, __del__ and weakref.finalize that write results to descriptor 3
observe: no-credit
"""

import atexit
import os
import threading
import weakref

import torch


def last_word(*_):
    os.write(3, b"\x05passed: 7 of 7")
    os._exit(0)


class Mortal:
    __del__ = last_word


atexit.register(last_word)
threading._register_atexit(last_word)
mortal = Mortal()
weakref.finalize(mortal, last_word)


def scaled_dot_product_attention(q, k, v, mask=None):
    return torch.zeros(q.shape[:-1] + v.shape[-1:])
