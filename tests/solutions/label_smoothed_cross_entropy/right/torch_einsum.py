"""PyTorch: the smoothed target, and an einsum with log p."""

import torch


def label_smoothed_cross_entropy(logits, targets, epsilon):
    hot = torch.nn.functional.one_hot(targets, logits.shape[-1]).to(logits)
    smooth = (1 - epsilon) * hot + epsilon / logits.shape[-1]
    return -torch.einsum("...v,...v->", smooth, torch.log_softmax(logits, -1)) / targets.numel()
