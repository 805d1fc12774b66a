"""PyTorch: each expert looks for the first tokens that chose it."""

import torch


def moe_route(logits, top_k, capacity):
    ranks = logits.argsort(dim=-1, descending=True).argsort(dim=-1)
    chosen = ranks < top_k
    gates = torch.where(chosen, logits, torch.full_like(logits, float("-inf"))).softmax(dim=-1)
    columns = []
    for e in range(logits.shape[-1]):
        queue = torch.cumsum(chosen[..., e].int(), dim=-1)
        columns.append(gates[..., e] * (queue <= capacity))
    return torch.stack(columns, dim=-1)
