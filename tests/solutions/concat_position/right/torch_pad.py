"""Both padded to the full width, and added."""

import torch.nn.functional as F


def concat_position(x, pe):
    return F.pad(x, (0, pe.shape[-1])) + F.pad(pe, (x.shape[-1], 0))
