"""For each token, the sum over all that are more likely."""

import torch


def top_p_filter(logits, p):
    probabilities = torch.softmax(logits, dim=-1)
    likelier = probabilities[..., None, :] > probabilities[..., :, None]
    before = (likelier * probabilities[..., None, :]).sum(-1)
    kept = torch.where(before < p, probabilities, torch.zeros_like(probabilities))
    return kept / kept.sum(-1, keepdim=True)
