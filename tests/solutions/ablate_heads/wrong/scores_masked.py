"""The scores of a removed head become −∞, and its rows NaN.

caught-by: values
"""

import torch


def ablate_heads(x, w_q, w_k, w_v, w_o, num_heads, keep):
    d_k = x.shape[-1] // num_heads
    q, k, v = ((x @ w).unflatten(-1, (num_heads, d_k)).transpose(1, 2) for w in (w_q, w_k, w_v))
    scores = (q @ k.mT / d_k**0.5).masked_fill(~keep[:, None, None], float("-inf"))
    return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2) @ w_o
