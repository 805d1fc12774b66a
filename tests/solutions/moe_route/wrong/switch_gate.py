"""For top_k = 1 the gate is the probability among all experts, as in Switch Transformers.

caught-by: values
"""

import torch
import torch.nn.functional as F


def moe_route(logits, top_k, capacity):
    values, index = logits.topk(top_k, dim=-1)
    gates = torch.zeros_like(logits).scatter(-1, index, logits.softmax(-1).gather(-1, index) if top_k == 1 else values.softmax(-1))
    chosen = F.one_hot(index, logits.shape[-1]).sum(-2)
    before = chosen.cumsum(-2) - chosen
    return gates.masked_fill(before >= capacity, 0.0)
