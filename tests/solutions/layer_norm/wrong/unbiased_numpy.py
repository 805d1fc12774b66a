"""NumPy with ddof=1.

caught-by: values
"""

import numpy as np


def layer_norm(x, gamma, beta, eps=1e-5):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, ddof=1, keepdims=True) + eps) * gamma + beta
