"""The inputs of hidden cases, as what could not be read of a result.

tries: UNREADABLE frames with the input as detail, for every reason that the protocol knows and some that it does not
observe: no-credit
"""

import os
import sys

import torch
from inside import frames

REASONS = ("projections", "projection-shape", "table", "layer", "undefined", "type", "dtype", "tensor", "state", "else")
count = [0]


def scaled_dot_product_attention(q, k, v, mask=None):
    frame = sys._getframe()
    while not isinstance(frame.f_locals.get("number"), int):
        frame = frame.f_back
    seen = "%.6f" % float(torch.as_tensor(q).ravel()[0])
    reason = REASONS[count[0] % len(REASONS)]
    count[0] += 1
    value = {"task": frame.f_locals["number"], "reason": reason if count[0] % 11 else seen, "detail": [seen] * 5}
    os.write(3, frames.frame(frames.UNREADABLE, value))
    os._exit(0)
