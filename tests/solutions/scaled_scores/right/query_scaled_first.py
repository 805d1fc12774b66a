"""torch, the query scaled before the product."""

import torch


def scaled_scores(q, k):
    return torch.einsum("...id,...jd->...ij", q * q.shape[-1] ** -0.5, k)
