"""Embeddings are scaled to unit length first.

caught-by: values
"""

import torch


def embed(tokens, table, positions):
    x = torch.nn.functional.normalize(table, dim=-1)[tokens]
    return x * table.shape[-1] ** 0.5 + positions[: tokens.shape[-1]]
