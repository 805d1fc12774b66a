"""NumPy, plain."""

import numpy as np


def swiglu(x, w_gate, w_up, w_down):
    z = x @ w_gate
    return (z / (1 + np.exp(-z)) * (x @ w_up)) @ w_down
