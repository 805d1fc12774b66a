"""torch, with the whole Jacobian diag(w) - w wᵀ."""

import torch


def softmax_backward(x, grad, axis=-1):
    w = x.movedim(axis, -1).softmax(-1)
    g = grad.movedim(axis, -1)
    jacobian = torch.diag_embed(w) - w[..., :, None] * w[..., None, :]
    return (jacobian @ g[..., None])[..., 0].movedim(-1, axis)
