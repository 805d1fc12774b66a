"""torch, draft by draft."""

import torch


def draw(probabilities, u):
    return int((probabilities.cumsum(0) > u).nonzero()[0])


def speculative_accept(drafts, target_logits, draft_logits, u):
    p = torch.softmax(target_logits, dim=-1)
    q = torch.softmax(draft_logits, dim=-1)
    g = len(drafts)
    out = []
    for t in range(g):
        x = drafts[t].item()
        if u[t] < p[t, x] / q[t, x]:
            out.append(x)
        else:
            rest = (p[t] - q[t]).clamp(min=0)
            out.append(draw(rest / rest.sum(), u[g]))
            return out
    out.append(draw(p[g], u[g]))
    return out
