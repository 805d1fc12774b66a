"""NumPy: column by column of the state."""

import numpy as np


def delta_rule_step(S, k, v, beta):
    out = S.copy()
    for j in range(S.shape[-1]):
        old = (k * S[..., j]).sum(axis=-1)
        out[..., j] += k * beta * (v[..., j] - old)[..., None]
    return out
