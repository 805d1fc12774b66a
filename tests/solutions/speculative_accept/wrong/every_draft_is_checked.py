"""Rejected drafts are replaced one by one, and the loop goes on.

caught-by: values
"""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def speculative_accept(drafts, target_logits, draft_logits, u):
    p, q = softmax(target_logits), softmax(draft_logits)
    out = []
    for t, x in enumerate(drafts):
        if u[t] < p[t, x] / q[t, x]:
            out.append(int(x))
        else:
            rest = np.maximum(p[t] - q[t], 0)
            out.append(int((np.cumsum(rest / rest.sum()) <= u[-1]).sum()))
    out.append(int((np.cumsum(p[-1]) <= u[-1]).sum()))
    return out
