"""NumPy: a generator of tokens; ids are NumPy integers."""

from itertools import accumulate

import numpy as np


def probabilities(logits):
    shifted = np.exp(logits - logits.max())
    return shifted / shifted.sum()


def draw(weights, u):
    return next(i for i, total in enumerate(accumulate(weights)) if total > u)


def tokens(drafts, target_logits, draft_logits, u):
    *tests, last = u
    for x, test, target, draft in zip(drafts, tests, target_logits, draft_logits):
        p, q = probabilities(target), probabilities(draft)
        if test * q[x] >= p[x]:
            positive = np.where(p > q, p - q, 0.0)
            yield draw(positive / positive.sum(), last)
            return
        yield x
    yield draw(probabilities(target_logits[-1]), last)


def speculative_accept(drafts, target_logits, draft_logits, u):
    return list(tokens(drafts, target_logits, draft_logits, u))
