"""PyTorch: all probabilities, divided by the sum of those of the chosen experts."""

import torch


def moe_route(logits, top_k, capacity):
    probabilities = torch.softmax(logits, dim=-1)
    values, experts = torch.topk(probabilities, top_k, dim=-1)
    values = values / values.sum(dim=-1, keepdim=True)
    gates = torch.zeros_like(logits).scatter(-1, experts, values)
    chosen = torch.nn.functional.one_hot(experts, logits.shape[-1]).sum(dim=-2)
    place = torch.cumsum(chosen, dim=-2) * chosen
    return gates * (place <= capacity)
