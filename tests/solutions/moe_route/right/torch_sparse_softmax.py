"""PyTorch: softmax of the chosen scores, written back to the places of their experts."""

import torch


def moe_route(logits, top_k, capacity):
    top, index = logits.topk(top_k, -1)
    gates = torch.zeros_like(logits)
    gates = gates.scatter(-1, index, top.softmax(-1))
    occupied = torch.zeros(logits.shape, dtype=torch.int64).scatter(-1, index, 1)
    before = occupied.cumsum(-2) - occupied
    return torch.where(before < capacity, gates, torch.zeros_like(gates))
