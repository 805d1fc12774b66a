"""torch, the sum written out by broadcasting."""

import torch


def scaled_scores(q, k):
    return (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(dim=-1).div(torch.tensor(float(q.shape[-1])).sqrt().item())
