"""Row by row, in Python."""

import numpy as np


def permutation_gap(attend, x, perm):
    reordered = np.stack([x[int(p)] for p in perm])
    before, after = attend(x), attend(reordered)
    gap = 0.0
    for i, p in enumerate(perm):
        for u, v in zip(after[i], before[p]):
            gap = max(gap, abs(float(u) - float(v)))
    return gap
