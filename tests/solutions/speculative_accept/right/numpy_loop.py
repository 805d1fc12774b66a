"""NumPy: one loop, and searchsorted for the draw."""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def speculative_accept(drafts, target_logits, draft_logits, u):
    p, q = softmax(target_logits), softmax(draft_logits)
    out = []
    final = p[len(drafts)]
    for t, x in enumerate(drafts):
        if u[t] < p[t][x] / q[t][x]:
            out.append(int(x))
        else:
            rest = np.maximum(0, p[t] - q[t])
            final = rest / rest.sum()
            break
    out.append(int(np.searchsorted(np.cumsum(final), u[-1], side="right")))
    return out
