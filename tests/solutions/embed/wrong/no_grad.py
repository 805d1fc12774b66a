"""Nothing can be learnt.

caught-by: gradients
"""

import torch


@torch.no_grad()
def embed(tokens, table, positions):
    words = torch.nn.functional.embedding(tokens, table)
    return words * table.shape[-1] ** 0.5 + positions[: tokens.shape[-1]]
