"""The library's layer norm."""

import torch.nn.functional as F


def pre_ln_sublayer(x, sublayer, gamma, beta):
    normed = F.layer_norm(x, gamma.shape, gamma, beta)
    return sublayer(normed) + x
