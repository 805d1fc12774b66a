"""Takes eps = 0 for an eps that is not given.

caught-by: values
"""

import torch


def rms_norm(x, gamma, eps=None):
    if not eps:
        eps = 1e-5
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps) * gamma
