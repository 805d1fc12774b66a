"""PyTorch: the number of accepted drafts by cumprod."""

import torch


def speculative_accept(drafts, target_logits, draft_logits, u):
    g = drafts.shape[0]
    p = torch.softmax(target_logits, dim=-1)
    q = torch.softmax(draft_logits, dim=-1)
    ratio = (p[:g].gather(1, drafts[:, None]) / q.gather(1, drafts[:, None])).squeeze(1)
    n = int((u[:g] < ratio).long().cumprod(dim=0).sum())
    padded = torch.cat([q, torch.zeros_like(p[:1])])
    rest = torch.relu(p[n] - padded[n])
    rest = rest / rest.sum()
    token = torch.searchsorted(rest.cumsum(0), u[g:], right=True)
    return torch.cat([drafts[:n], token])
