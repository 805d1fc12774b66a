"""The library differentiates its own layer norm."""

import torch
import torch.nn.functional as F


def layer_norm_backward(grad, x, gamma, eps=1e-5):
    x, gamma = x.detach().clone().requires_grad_(), gamma.detach().clone().requires_grad_()
    beta = torch.zeros_like(gamma).requires_grad_()
    with torch.enable_grad():
        y = F.layer_norm(x, x.shape[-1:], gamma, beta, eps)
    return torch.autograd.grad(y, (x, gamma, beta), grad)
