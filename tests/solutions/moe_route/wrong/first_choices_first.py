"""All first choices are placed before any second choice, as in GShard.

caught-by: values
"""

import torch


def moe_route(logits, top_k, capacity):
    top, index = logits.topk(top_k, dim=-1)
    weights = top.softmax(dim=-1)
    gates = torch.zeros_like(logits)
    used = torch.zeros_like(logits[..., :1, :], dtype=torch.long)
    for choice in range(top_k):
        picked = torch.nn.functional.one_hot(index[..., choice], logits.shape[-1])
        place = picked.cumsum(dim=-2) + used
        gates = gates + picked * (place <= capacity) * weights[..., choice, None]
        used = used + picked.sum(dim=-2, keepdim=True)
    return gates
