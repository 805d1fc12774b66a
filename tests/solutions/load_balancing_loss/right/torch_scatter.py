"""PyTorch: the choices are marked in an array like the scores."""

import torch


def load_balancing_loss(logits, top_k):
    flat = logits.reshape(-1, logits.shape[-1])
    chosen = torch.zeros_like(flat).scatter(-1, flat.topk(top_k).indices, 1.0)
    return flat.shape[-1] * (chosen.mean(0) / top_k) @ torch.softmax(flat, -1).mean(0)
