"""The gate is applied to the output.

caught-by: values
"""

import numpy as np


def swiglu(x, w_gate, w_up, w_down):
    z = x @ w_gate
    return (z / (1 + np.exp(-z))) @ w_down * ((x @ w_up) @ w_down)
