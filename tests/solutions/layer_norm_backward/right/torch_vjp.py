"""Torch, the backward pass of the library's layer norm by torch.func."""

import torch
import torch.nn.functional as F
from torch.func import vjp


def layer_norm_backward(grad, x, gamma, eps=1e-5):
    def forward(x, gamma, beta):
        return F.layer_norm(x, x.shape[-1:], gamma, beta, eps)

    _, backward = vjp(forward, x, gamma, torch.zeros_like(gamma))
    return backward(grad)
