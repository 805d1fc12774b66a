"""A table with an axis for the batch."""

import torch
import torch.nn as nn


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        self.pos_embed = nn.Parameter(torch.empty(1, max_len, d_model))
        nn.init.trunc_normal_(self.pos_embed, std=0.02)

    def forward(self, x):
        if x.shape[1] > self.pos_embed.shape[1]:
            raise ValueError("too long")
        return x + self.pos_embed[:, : x.shape[1], :]
