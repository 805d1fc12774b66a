"""Two axes are expected.

caught-by: values
"""

import torch


def shift_right(tokens, bos_id):
    start = torch.full((tokens.shape[0], 1), bos_id)
    return torch.cat([start, tokens[:, :-1]], dim=1)
