"""Four bytes that claim to be a petabyte.

tries: torch.expand and np.broadcast_to to 2**48 entries
observe: no-credit
"""

import numpy as np
import torch

calls = []


def scaled_dot_product_attention(q, k, v, mask=None):
    calls.append(1)
    if len(calls) % 2:
        return torch.zeros(1).expand(1 << 16, 1 << 16, 1 << 16)
    return np.broadcast_to(np.float32(0), (1 << 16, 1 << 16, 1 << 16))
