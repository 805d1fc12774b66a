"""Nothing protects a row of zeros.

caught-by: values
"""

import numpy as np


def rms_norm(x, gamma, eps=1e-5):
    return x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True)) * gamma
