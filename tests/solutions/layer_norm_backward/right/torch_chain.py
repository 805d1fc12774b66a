"""Step by step backwards through the graph: the root, the variance, the mean."""

import torch


def layer_norm_backward(grad, x, gamma, eps=1e-5):
    d = x.shape[-1]
    centred = x - x.mean(-1, keepdim=True)
    inverse = torch.rsqrt(centred.pow(2).mean(-1, keepdim=True) + eps)
    s = centred * inverse
    ds = grad * gamma
    d_inverse = (ds * centred).sum(-1, keepdim=True)
    d_variance = -0.5 * d_inverse * inverse**3
    d_centred = ds * inverse + d_variance * 2 * centred / d
    dx = d_centred - d_centred.mean(-1, keepdim=True)
    return dx, (grad * s).reshape(-1, d).sum(0), grad.reshape(-1, d).sum(0)
