"""A row for every token in the cache, the newest query in all of them.

caught-by: values
"""

import math

import torch


def decode_step(x_t, cache, w_q, w_k, w_v):
    k, v = cache.append(x_t @ w_k, x_t @ w_v)
    q = (x_t @ w_q).expand(*k.shape[:-1], -1)
    return torch.softmax(q @ k.mT / math.sqrt(k.shape[-1]), -1) @ v
