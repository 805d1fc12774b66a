"""The inputs of hidden cases, as one of the ways in which a result is none.

tries: return something that has no form on the wire, of a kind that the input says
observe: no-credit
"""

import torch


def deep(levels):
    value = 1.0
    for _ in range(levels):
        value = [value]
    return value


def scaled_dot_product_attention(q, k, v, mask=None):
    digits = round(abs(float(torch.as_tensor(q).ravel()[0])) * 10**6)
    ways = (object(), deep(100), 10**5000, {1: 2}, torch.zeros((1,) * 9), torch.zeros(2, dtype=torch.complex64))
    return ways[digits % len(ways)]
