"""From the length of the vector: rms² = ‖x‖² / d."""

import torch


def rms_norm(x, gamma, eps=1e-5):
    d = x.shape[-1]
    squared_length = torch.einsum("...i,...i->...", x, x)[..., None]
    return gamma * x / (squared_length / d + eps).sqrt()
