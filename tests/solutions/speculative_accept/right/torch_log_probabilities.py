"""PyTorch: the ratio from log-probabilities, the draw by a plain loop."""

import torch
import torch.nn.functional as F


def pick(probabilities, number):
    total = 0.0
    for i, each in enumerate(probabilities.tolist()):
        total += each
        if total > number:
            return i
    return len(probabilities) - 1


def speculative_accept(drafts, target_logits, draft_logits, u):
    log_p, log_q = F.log_softmax(target_logits, -1), F.log_softmax(draft_logits, -1)
    result = []
    for t in range(len(drafts)):
        x = drafts[t].item()
        accept = min(1.0, (log_p[t, x] - log_q[t, x]).exp().item())
        if u[t].item() < accept:
            result.append(x)
            continue
        difference = torch.clamp(log_p[t].exp() - log_q[t].exp(), min=0.0)
        result.append(pick(difference / difference.sum(), u[-1].item()))
        return result
    result.append(pick(log_p[-1].exp(), u[-1].item()))
    return result
