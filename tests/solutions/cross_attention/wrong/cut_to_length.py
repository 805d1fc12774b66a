"""The memory is cut to the length of x.

caught-by: values
"""

import torch.nn.functional as F


def cross_attention(x, memory, w_q, w_k, w_v):
    memory = memory[..., : x.shape[-2], :]
    return F.scaled_dot_product_attention(x @ w_q, memory @ w_k, memory @ w_v)
