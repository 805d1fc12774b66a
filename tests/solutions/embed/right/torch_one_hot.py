"""A product with one-hot rows."""

import torch


def embed(tokens, table, positions):
    vocabulary, d_model = table.shape
    one_hot = torch.nn.functional.one_hot(tokens, vocabulary).to(table.dtype)
    scaled = (one_hot @ table) * d_model**0.5
    return scaled + positions.narrow(0, 0, tokens.shape[-1])
