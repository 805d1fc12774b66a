"""A class without nn.Module."""

import torch


class LearnedPositionalEncoding:
    def __init__(self, max_len, d_model):
        self.weights = torch.randn(max_len, d_model, requires_grad=True)

    def __call__(self, x):
        batch, n, d_model = x.shape
        if n > len(self.weights):
            raise ValueError("too long")
        return x + self.weights[:n]
