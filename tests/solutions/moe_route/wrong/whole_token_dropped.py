"""A token that finds one of its experts full loses all of its gates.

caught-by: values
"""

import torch
import torch.nn.functional as F


def moe_route(logits, top_k, capacity):
    values, index = logits.topk(top_k, dim=-1)
    gates = torch.zeros_like(logits).scatter(-1, index, values.softmax(-1))
    chosen = F.one_hot(index, logits.shape[-1]).sum(-2)
    before = chosen.cumsum(-2) - chosen
    full = ((before >= capacity) & (chosen > 0)).any(-1, keepdim=True)
    return gates.masked_fill(full, 0.0)
