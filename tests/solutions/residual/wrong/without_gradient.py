"""The sublayer under no_grad.

caught-by: gradients
"""

import torch


def residual(x, sublayer):
    with torch.no_grad():
        increment = sublayer(x)
    return x + increment
