"""An embedding with a buffer of position ids, and dropout that is off in eval mode."""

import torch
from torch import nn


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        self.embedding = nn.Embedding(max_len, d_model)
        self.register_buffer("ids", torch.arange(max_len), persistent=False)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        n = x.shape[-2]
        if n > len(self.ids):
            raise ValueError("no position left")
        return self.dropout(x + self.embedding(self.ids[:n]))
