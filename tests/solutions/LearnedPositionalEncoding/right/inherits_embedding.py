"""A subclass of nn.Embedding."""

import torch
from torch import nn


class LearnedPositionalEncoding(nn.Embedding):
    def __init__(self, max_len, d_model):
        super().__init__(max_len, d_model)

    def forward(self, x):
        n = x.shape[1]
        if n > self.num_embeddings:
            raise ValueError("too long")
        return x + super().forward(torch.arange(n))
