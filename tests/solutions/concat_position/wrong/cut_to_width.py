"""Cut back to the width of x.

caught-by: values
"""

import torch


def concat_position(x, pe):
    return torch.cat([x, pe.expand(*x.shape[:-1], -1)], -1)[..., : x.shape[-1]]
