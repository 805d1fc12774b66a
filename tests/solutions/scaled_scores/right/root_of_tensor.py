"""torch, the root taken of a tensor."""

import torch


def scaled_scores(q, k):
    d_k = torch.tensor(k.shape[-1])
    return q @ k.mT / torch.sqrt(d_k)
