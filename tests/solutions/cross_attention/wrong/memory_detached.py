"""The memory gets no gradient, as if the encoder were not trained.

caught-by: gradients
"""

import torch.nn.functional as F


def cross_attention(x, memory, w_q, w_k, w_v):
    memory = memory.detach()
    return F.scaled_dot_product_attention(x @ w_q, memory @ w_k, memory @ w_v)
