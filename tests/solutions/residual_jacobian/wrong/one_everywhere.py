"""Broadcasting.

caught-by: values
"""

import torch


def residual_jacobian(sublayer_jacobian):
    return torch.tensor(1.0) + sublayer_jacobian
