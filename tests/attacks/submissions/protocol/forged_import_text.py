"""The inputs of hidden cases, in an exception that claims to be from import time.

tries: a RAISED frame with during = import and the input as text, for every call
observe: no-credit
"""

import os
import sys

import torch
from inside import frames


def scaled_dot_product_attention(q, k, v, mask=None):
    frame = sys._getframe()
    while not isinstance(frame.f_locals.get("number"), int):
        frame = frame.f_back
    text = "seen: %.6f" % float(torch.as_tensor(q).ravel()[0])
    fault = {"during": "import", "type": "Error", "bases": ["Exception"], "text": text, "file": None, "line": None}
    os.write(3, frames.frame(frames.RAISED, {"task": frame.f_locals["number"], **fault}))
    os._exit(0)
