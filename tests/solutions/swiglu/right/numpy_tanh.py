"""σ(z) as (1 + tanh(z/2)) / 2."""

import numpy as np


def swiglu(x, w_gate, w_up, w_down):
    gate = np.einsum("...i,ij->...j", x, w_gate)
    up = np.einsum("...i,ij->...j", x, w_up)
    return np.einsum("...j,ji->...i", gate * (1 + np.tanh(gate / 2)) / 2 * up, w_down)
