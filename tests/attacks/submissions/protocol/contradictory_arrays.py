"""Arrays whose marks contradict each other.

tries: Block flags in all combinations: bfloat16 of booleans, a scalar of three axes, a tensor that is strided
observe: no-credit
"""

import os
import sys

import numpy as np
import torch
from inside import frames

count = [0]


def send(kind, value):
    view = memoryview(frames.frame(kind, value))
    while view:
        view = view[os.write(3, view) :]


def scaled_dot_product_attention(q, k, v, mask=None):
    frame = sys._getframe()
    while not isinstance(frame.f_locals.get("number"), int):
        frame = frame.f_back
    count[0] += 1
    dtypes = (np.bool_, np.uint16, np.float16, np.int64, np.float64, np.uint8)
    array = np.zeros(tuple(q.shape[:-1]) + tuple(v.shape[-1:]), dtypes[count[0] % len(dtypes)])
    blocks = [frames.Block(array, (count[0] * 7) % 256)]
    send(frames.RETURNED, {"task": frame.f_locals["number"], "values": blocks})
    return torch.zeros(1)
