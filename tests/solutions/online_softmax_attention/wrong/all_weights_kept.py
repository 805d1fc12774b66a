"""The weights of all blocks are collected, which is the whole matrix.

caught-by: memory
"""

import torch


def online_softmax_attention(q, k, v, block_size):
    scores = torch.cat([q @ part.mT for part in k.split(block_size, -2)], -1) / q.shape[-1] ** 0.5
    return scores.softmax(-1) @ v
