"""What is left of a token's gates is divided by its sum again.

caught-by: values
"""

import torch


def moe_route(logits, top_k, capacity):
    top, index = logits.topk(top_k, dim=-1)
    gates = torch.zeros_like(logits).scatter(-1, index, top.softmax(dim=-1))
    chosen = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, index, True)
    gates = gates * (chosen.cumsum(dim=-2) <= capacity)
    total = gates.sum(dim=-1, keepdim=True)
    return gates / torch.where(total > 0, total, torch.ones_like(total))
