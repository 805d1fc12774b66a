"""Another measure of Michel et al.: how steeply the output depends on each head.

caught-by: values
"""

import torch
import torch.nn.functional as F


def head_importance(x, w_q, w_k, w_v, w_o, num_heads):
    gates = torch.ones(num_heads, requires_grad=True)
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    heads = F.scaled_dot_product_attention(q, k, v) * gates[:, None, None].to(x.dtype)
    loss = (heads.transpose(1, 2).flatten(2) @ w_o).pow(2).sum()
    return torch.autograd.grad(loss, gates)[0].abs()
