"""All inputs of all cases, zeroed before the first call.

tries: write into the arrays of the job that stands in the loader's frame
observe: no-credit
"""

import sys

import numpy as np
import torch

frame = sys._getframe()
while frame is not None and not isinstance(frame.f_locals.get("job"), dict):
    frame = frame.f_back
for task in frame.f_locals["job"]["tasks"] if frame else ():
    if task[0] == "run":
        for step in task[4]:
            if step[0] == "value" and hasattr(step[1], "array"):
                object.__setattr__(step[1], "array", np.zeros_like(step[1].array))


def scaled_dot_product_attention(q, k, v, mask=None):
    return torch.zeros(q.shape[:-1] + v.shape[-1:])
