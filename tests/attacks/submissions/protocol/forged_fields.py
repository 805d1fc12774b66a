"""Frames of the right kind with fields of the wrong kind.

tries: task numbers as text, arrays for names, numbers for lists, in turn
observe: no-credit
"""

import os
import sys

import numpy as np
from inside import frames


def scaled_dot_product_attention(q, k, v, mask=None):
    frame = sys._getframe()
    while not isinstance(frame.f_locals.get("number"), int):
        frame = frame.f_back
    number = frame.f_locals["number"]
    block = frames.Block(np.zeros((2, 2)))
    wrong = [
        (frames.RETURNED, {"task": "0", "values": [1]}),
        (frames.RETURNED, {"task": block, "values": [1]}),
        (frames.RETURNED, {"task": number, "values": block}),
        (frames.RETURNED, {"task": number, "values": "x"}),
        (frames.RETURNED, {"task": number, "values": [frames.StepRef(0)]}),
        (frames.RETURNED, {"task": number, "values": [frames.Block(np.zeros(4, "u2"), 255)]}),
        (frames.RETURNED, {"task": number, "values": [10**390]}),
        (frames.RETURNED, {"task": number, "values": [b"bytes"]}),
        (frames.RETURNED, [number]),
        (frames.RAISED, {"task": number, "during": block, "type": "E", "bases": [], "text": "", "file": "", "line": 0}),
        (frames.RAISED, {"task": number, "during": "", "type": 7, "bases": 7, "text": [], "file": 7, "line": "x"}),
        (frames.UNREADABLE, {"task": number, "reason": "type", "detail": [[]]}),
        (frames.UNREADABLE, {"task": number, "reason": "projections", "detail": []}),
        (frames.UNREADABLE, {"task": number, "reason": "{0}", "detail": ["{text.__class__}"]}),
        (frames.TOO_BIG, {}),
        (frames.LOADED, {"task": number}),
    ]
    os.write(3, frames.frame(*wrong[number % len(wrong)]))
    os._exit(0)
