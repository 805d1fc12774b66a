"""Torch, as what it is: the gradient of logsumexp."""

import torch
from torch.func import grad


def softmax(x, axis=-1):
    return grad(lambda logits: torch.logsumexp(logits, dim=axis).sum())(x)
