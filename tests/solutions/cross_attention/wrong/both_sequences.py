"""x is put in front of the memory.

caught-by: values, gradients
"""

import torch
import torch.nn.functional as F


def cross_attention(x, memory, w_q, w_k, w_v):
    memory = torch.cat([x, memory], dim=-2)
    return F.scaled_dot_product_attention(x @ w_q, memory @ w_k, memory @ w_v)
