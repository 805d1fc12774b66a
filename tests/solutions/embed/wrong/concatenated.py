"""Content and position side by side.

caught-by: values
"""

import torch


def embed(tokens, table, positions):
    x = table[tokens] * table.shape[-1] ** 0.5
    p = positions[: tokens.shape[-1]].expand(*tokens.shape, -1)
    return torch.cat((x, p), dim=-1)
