"""The gain is 1 + gamma, as where gamma starts at zero.

caught-by: values
"""

import numpy as np


def rms_norm(x, gamma, eps=1e-5):
    return (1.0 + gamma) * x / np.sqrt((x * x).mean(-1, keepdims=True) + eps)
