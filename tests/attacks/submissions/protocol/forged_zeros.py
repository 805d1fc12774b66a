"""Answers that nobody gave.

tries: RETURNED frames of the right form with zeros, ahead of the calls, for every task
observe: no-credit
"""

import os
import sys

import numpy as np
import torch
from inside import frames


def send(kind, value):
    view = memoryview(frames.frame(kind, value))
    while view:
        view = view[os.write(3, view) :]


def scaled_dot_product_attention(q, k, v, mask=None):
    return torch.zeros(1)


frame = sys._getframe()
while frame is not None and not isinstance(frame.f_locals.get("job"), dict):
    frame = frame.f_back
tasks = frame.f_locals["job"]["tasks"] if frame else []

for number, task in enumerate(tasks):
    if task[0] == "load":
        send(frames.LOADED, {"task": number})
    else:
        block = frames.Block(np.zeros((2, 4, 3)), frames.TORCH)
        send(frames.RETURNED, {"task": number, "values": [block] * len(task[5])})
os._exit(0)
