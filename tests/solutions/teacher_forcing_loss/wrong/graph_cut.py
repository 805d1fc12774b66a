"""A Python number.

caught-by: gradients
"""

import torch
import torch.nn.functional as F


def teacher_forcing_loss(step, tokens, bos_id):
    inputs = torch.cat([torch.full_like(tokens[:, :1], bos_id), tokens[:, :-1]], dim=1)
    return float(F.cross_entropy(step(inputs).transpose(1, 2), tokens))
