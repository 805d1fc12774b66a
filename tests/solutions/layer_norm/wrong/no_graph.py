"""Goes through NumPy on the way, which cuts the graph.

caught-by: gradients
"""

import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    y = x.detach().numpy()
    y = (y - y.mean(-1, keepdims=True)) / (y.var(-1, keepdims=True) + eps) ** 0.5
    return torch.from_numpy(y) * gamma + beta
