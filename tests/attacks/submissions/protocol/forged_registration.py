"""Facts about a module that make no sense.

tries: RETURNED frames for the description of projections: names missing, pairs that are none
observe: no-credit
known: registered_parameters trusts the fields of what the child sends
"""

import os
import sys

import numpy as np
from inside import frames


def send(kind, value):
    view = memoryview(frames.frame(kind, value))
    while view:
        view = view[os.write(3, view) :]


class MultiHeadAttention:
    pass


frame = sys._getframe()
while frame is not None and not isinstance(frame.f_locals.get("job"), dict):
    frame = frame.f_back
tasks = frame.f_locals["job"]["tasks"] if frame else []

STRANGE = {"attributes": {}, "shared": [["a", "b"]], "registered": {"w_q": 0}, "trainable": 5}
for number, task in enumerate(tasks):
    if task[0] == "load":
        send(frames.LOADED, {"task": number})
    elif len(task[5]) == 2:
        send(frames.RETURNED, {"task": number, "values": [STRANGE, [["w_q"]]]})
    else:
        send(frames.RETURNED, {"task": number, "values": [{"a": frames.Block(np.zeros((2, 2)))}] * len(task[5])})
os._exit(0)
