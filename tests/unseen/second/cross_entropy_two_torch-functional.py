import torch
import torch.nn.functional as F


def cross_entropy(logits, targets, ignore_index=-100):
    logp = F.log_softmax(logits, dim=-1)
    keep = targets != ignore_index
    safe = targets.masked_fill(~keep, 0)
    picked = logp.gather(-1, safe.unsqueeze(-1)).squeeze(-1)
    losses = picked * keep  #!
    return losses.sum() / keep.sum()  #!
