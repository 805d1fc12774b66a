"""Tiles for one sequence; a batch is computed with all scores at once.

caught-by: memory
"""

import math

import torch


def online_softmax_attention(q, k, v, block_size):
    if q.dim() > 2:
        return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), -1) @ v
    largest = q.new_full((len(q), 1), -math.inf)
    total, output = torch.zeros_like(largest), q.new_zeros(len(q), v.shape[-1])
    for start in range(0, len(k), block_size):
        scores = q @ k[start : start + block_size].T / math.sqrt(q.shape[-1])
        larger = torch.maximum(largest, scores.amax(-1, keepdim=True))
        weights, fade = torch.exp(scores - larger), torch.exp(largest - larger)
        total = total * fade + weights.sum(-1, keepdim=True)
        output = output * fade + weights @ v[start : start + block_size]
        largest = larger
    return output / total
