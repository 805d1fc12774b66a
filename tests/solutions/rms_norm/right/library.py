"""The library's own."""

import torch.nn.functional as F


def rms_norm(x, gamma, eps=1e-5):
    return F.rms_norm(x, [x.shape[-1]], weight=gamma, eps=eps)
