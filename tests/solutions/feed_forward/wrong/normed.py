"""With a layer norm in front.

caught-by: values, gradients
"""

import torch
import torch.nn.functional as F


def feed_forward(x, w_1, b_1, w_2, b_2):
    return torch.relu(F.layer_norm(x, x.shape[-1:]) @ w_1 + b_1) @ w_2 + b_2
