"""A detour through NumPy, where the graph ends.

caught-by: gradients
"""

import numpy as np
import torch


def split_heads(x, num_heads):
    return torch.from_numpy(np.stack(np.split(x.detach().numpy(), num_heads, axis=-1), axis=-3))
