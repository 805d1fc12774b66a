"""If all drafts are accepted, nothing is added.

caught-by: values
"""

import torch


def speculative_accept(drafts, target_logits, draft_logits, u):
    p, q = target_logits.softmax(-1), draft_logits.softmax(-1)
    out = []
    for t, x in enumerate(drafts.tolist()):
        if u[t] < p[t, x] / q[t, x]:
            out.append(x)
        else:
            rest = (p[t] - q[t]).clamp(min=0)
            out.append(int((rest.cumsum(0) / rest.sum() <= u[-1]).sum()))
            break
    return out
