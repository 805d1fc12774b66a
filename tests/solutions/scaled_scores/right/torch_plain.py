"""torch, plain."""

import math

import torch


def scaled_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
