"""PyTorch: a small class with one method per decision."""

import torch


class Verifier:
    def __init__(self, target_logits, draft_logits):
        self.p = torch.log_softmax(target_logits, -1).exp()
        self.q = torch.log_softmax(draft_logits, -1).exp()

    def accepts(self, t, token, u):
        return bool(u < torch.clamp(self.p[t, token] / self.q[t, token], max=1.0))

    def replacement(self, t):
        if t == len(self.q):
            return self.p[t]
        rest = torch.maximum(self.p[t] - self.q[t], torch.zeros(()).to(self.p))
        return rest / rest.sum()

    def run(self, drafts, u):
        kept = 0
        while kept < len(drafts) and self.accepts(kept, drafts[kept], u[kept]):
            kept += 1
        running = torch.cumsum(self.replacement(kept), dim=0)
        return [int(x) for x in drafts[:kept]] + [int(torch.argmax((running > u[-1]).int()))]


def speculative_accept(drafts, target_logits, draft_logits, u):
    return Verifier(target_logits, draft_logits).run(drafts, u)
