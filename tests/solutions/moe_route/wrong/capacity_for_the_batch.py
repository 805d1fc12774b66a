"""Two-dimensional only: the texts of a batch are joined into one.

caught-by: values
"""

import torch


def moe_route(logits, top_k, capacity):
    flat = logits.reshape(-1, logits.shape[-1])
    top, index = flat.topk(top_k, dim=-1)
    gates = torch.zeros_like(flat).scatter(-1, index, top.softmax(dim=-1))
    chosen = gates > 0
    return (gates * (chosen.cumsum(dim=0) <= capacity)).reshape(logits.shape)
