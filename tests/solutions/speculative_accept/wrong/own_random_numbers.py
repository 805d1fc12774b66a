"""The numbers u are ignored; the code draws its own.

caught-by: values
"""

import torch


def speculative_accept(drafts, target_logits, draft_logits, u):
    p, q = target_logits.softmax(-1), draft_logits.softmax(-1)
    out = []
    for t, x in enumerate(drafts.tolist()):
        if torch.rand(()) < p[t, x] / q[t, x]:
            out.append(x)
        else:
            rest = (p[t] - q[t]).clamp(min=0)
            return out + [int(torch.multinomial(rest, 1))]
    return out + [int(torch.multinomial(p[-1], 1))]
