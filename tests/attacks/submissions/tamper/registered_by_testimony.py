"""Parameters that the process itself calls registered.

tries: projections as plain tensors in a module; the helpers that describe them are replaced
observe: testimony
"""

import math

import torch
from inside import programs
from inside.projections import Projections

describe = Projections.describe
helpers = dict(programs.HELPERS)


def registered(self):
    found = describe(self)
    return found | {"registered": dict.fromkeys(found["registered"], True)}


def parameters(instance, output):
    return [[name, list(getattr(instance, name).shape), True, True] for name in ("w_q", "w_k", "w_v", "w_o")]


Projections.describe = registered
programs.HELPERS = helpers | {"parameters": parameters}


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        self.num_heads = num_heads
        for name in ("w_q", "w_k", "w_v", "w_o"):
            setattr(self, name, torch.randn(d_model, d_model).requires_grad_())

    def split(self, x):
        return x.reshape(*x.shape[:-1], self.num_heads, -1).transpose(-2, -3)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.split(query @ self.w_q), self.split(key @ self.w_k), self.split(value @ self.w_v)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = torch.softmax(scores, -1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        return (weights @ v).transpose(-2, -3).reshape(query.shape) @ self.w_o
