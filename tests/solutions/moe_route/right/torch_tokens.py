"""PyTorch: token after token, all samples at once."""

import torch


def moe_route(logits, top_k, capacity):
    load = torch.zeros_like(logits[..., 0, :])
    rows = []
    for t in range(logits.shape[-2]):
        row = logits[..., t, :]
        top, where = torch.topk(row, top_k)
        gate = torch.zeros_like(row).scatter_add(-1, where, torch.softmax(top, -1))
        rows.append(torch.where(load < capacity, gate, torch.zeros_like(gate)))
        load = load + torch.zeros_like(load).scatter(-1, where, 1.0)
    return torch.stack(rows, dim=-2)
