"""After a rejection, the token comes from p itself.

caught-by: values
"""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def speculative_accept(drafts, target_logits, draft_logits, u):
    p, q = softmax(target_logits), softmax(draft_logits)
    n = 0
    while n < len(drafts) and u[n] < p[n, drafts[n]] / q[n, drafts[n]]:
        n += 1
    return [*drafts[:n].tolist(), int((np.cumsum(p[n]) <= u[-1]).sum())]
