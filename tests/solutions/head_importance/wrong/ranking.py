"""The heads in the order of their importance.

caught-by: values
"""

import torch
import torch.nn.functional as F


def head_importance(x, w_q, w_k, w_v, w_o, num_heads):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    parts = torch.einsum("bhne,hem->hbnm", F.scaled_dot_product_attention(q, k, v), w_o.unflatten(0, (num_heads, -1)))
    return parts.flatten(1).norm(dim=1).argsort(descending=True)
