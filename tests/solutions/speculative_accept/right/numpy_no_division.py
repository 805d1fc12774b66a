"""NumPy: accepted where u · q < p, and the draw is compared with the sum instead of being normalised."""

import numpy as np


def speculative_accept(drafts, target_logits, draft_logits, u):
    p = np.exp(target_logits - np.logaddexp.reduce(target_logits, axis=-1, keepdims=True))
    q = np.exp(draft_logits - np.logaddexp.reduce(draft_logits, axis=-1, keepdims=True))
    g = len(drafts)
    rows = np.arange(g)
    good = u[:g] * q[rows, drafts] < p[rows, drafts]
    count = g if good.all() else int(np.argmin(good))
    weights = p[g] if count == g else np.clip(p[count] - q[count], 0, None)
    running = np.cumsum(weights)
    token = int(np.argmax(running > u[g] * running[-1]))
    return drafts[:count].tolist() + [token]
