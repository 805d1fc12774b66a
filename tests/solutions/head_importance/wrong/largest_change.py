"""The largest change instead of the norm.

caught-by: values, gradients
"""

import torch
import torch.nn.functional as F


def head_importance(x, w_q, w_k, w_v, w_o, num_heads):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    parts = torch.einsum("bhne,hem->hbnm", F.scaled_dot_product_attention(q, k, v), w_o.unflatten(0, (num_heads, -1)))
    return parts.abs().amax(dim=(1, 2, 3))
