"""e^z / (1 + e^z) is inf / inf for large z.

caught-by: values
"""

import numpy as np


def swiglu(x, w_gate, w_up, w_down):
    z = x @ w_gate
    with np.errstate(over="ignore", invalid="ignore"):
        gate = z * np.exp(z) / (1 + np.exp(z))
    return (gate * (x @ w_up)) @ w_down
