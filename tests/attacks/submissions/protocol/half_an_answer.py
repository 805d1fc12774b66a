"""An answer in two halves, whose second one comes late, from a thread; the call itself never returns.

tries: the right answer's first twenty bytes, the rest after 50 ms, in every call
observe: no-credit
limits: short
"""

import os
import sys
import threading
import time

import torch
from inside import frames


def scaled_dot_product_attention(q, k, v, mask=None):
    frame = sys._getframe()
    while not isinstance(frame.f_locals.get("number"), int):
        frame = frame.f_back
    block = frames.Block(torch.zeros(q.shape[:-1] + v.shape[-1:]).numpy(), frames.TORCH)
    answer = frames.frame(frames.RETURNED, {"task": frame.f_locals["number"], "values": [block]})
    os.write(3, answer[:20])
    threading.Timer(0.05, os.write, (3, answer[20:])).start()
    time.sleep(60)
