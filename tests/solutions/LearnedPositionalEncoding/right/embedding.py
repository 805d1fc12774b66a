"""An nn.Embedding, indexed by arange."""

import torch
from torch import nn


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        self.max_len = max_len
        self.position_embeddings = nn.Embedding(max_len, d_model)

    def forward(self, x):
        seq_len = x.shape[1]
        if seq_len > self.max_len:
            raise ValueError(f"{seq_len} > {self.max_len}")
        positions = torch.arange(seq_len, device=x.device).unsqueeze(0)
        return x + self.position_embeddings(positions)
