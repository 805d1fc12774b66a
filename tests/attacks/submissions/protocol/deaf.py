"""A process that does not listen any more.

tries: the descriptor of tasks closed, or put at its end, while the first case is answered; then a wait
observe: no-credit
limits: short
"""

import os
import time

import torch

count = [0]


def scaled_dot_product_attention(q, k, v, mask=None):
    count[0] += 1
    read, _ = os.pipe()
    if count[0] % 2:
        os.close(4)
    os.dup2(read, 4)
    if count[0] > 1:
        time.sleep(3600)
    return torch.zeros(q.shape[:-1] + v.shape[-1:])
