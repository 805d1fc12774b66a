"""A library that is different for whoever comes next.

tries: default dtype, threads, grad mode, error handling, random state, patched functions
observe: no-credit
"""

import random
import sys

import numpy as np
import torch

if hasattr(torch, "left_behind"):
    raise RuntimeError("GOT what the submission before left")
torch.left_behind = np.left_behind = sys.left_behind = True
torch.set_default_dtype(torch.float64)
torch.set_grad_enabled(False)
torch.set_printoptions(precision=1)
np.seterr(all="raise")
torch.manual_seed(0)
random.seed(0)
zeros = torch.zeros
for owner in (torch, torch.Tensor, torch.nn.functional, np):
    for name in ("softmax", "matmul", "__matmul__", "exp", "scaled_dot_product_attention", "einsum", "masked_fill"):
        if hasattr(owner, name):
            setattr(owner, name, lambda *args, **kwargs: zeros(1))


def scaled_dot_product_attention(q, k, v, mask=None):
    torch.set_num_threads(2)
    return zeros(q.shape[:-1] + v.shape[-1:])
