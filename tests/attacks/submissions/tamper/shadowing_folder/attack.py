"""Files that are called like the libraries, and like the sandbox's own part of the process.

tries: torch.py, numpy.py, inside, sitecustomize and json beside the submission, each of which agrees with all
observe: no-credit
"""

import json

import inside.frames
import sitecustomize
import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    json.dumps, inside.frames, sitecustomize
    return torch.zeros(q.shape[:-1] + v.shape[-1:])
