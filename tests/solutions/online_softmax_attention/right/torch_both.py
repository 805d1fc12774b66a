"""Blocks of queries outside, blocks of keys inside, as FlashAttention has them; normalised as it goes."""

import math

import torch


def one(q, k, v, block_size):
    lse = q.new_full((*q.shape[:-1], 1), -math.inf)
    out = q.new_zeros((*q.shape[:-1], v.shape[-1]))
    for start in range(0, k.shape[-2], block_size):
        s = q @ k[..., start : start + block_size, :].mT / math.sqrt(q.shape[-1])
        block = s.logsumexp(-1, keepdim=True)
        new = torch.logaddexp(lse, block)
        out = out * torch.exp(lse - new) + torch.exp(s - new) @ v[..., start : start + block_size, :]
        lse = new
    return out


def online_softmax_attention(q, k, v, block_size):
    return torch.cat([one(part, k, v, block_size) for part in q.split(block_size, -2)], -2)
