"""A module whose parameters never end.

tries: parameters, named_parameters, modules and attributes that go on for ever while they are looked at
observe: times-out or dies
"""

import itertools

import torch


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.w_q = self.w_k = self.w_v = self.w_o = torch.nn.Linear(d_model, d_model, bias=False)

    def named_parameters(self, *args, **kwargs):
        return ((f"p{at}", self.w_q.weight) for at in itertools.count())

    def parameters(self, recurse=True):
        return (self.w_q.weight for _ in itertools.count())

    def named_modules(self, *args, **kwargs):
        return ((f"m{at}", self.w_q) for at in itertools.count())

    def forward(self, query, key, value, mask=None):
        for _ in self.parameters():
            pass
