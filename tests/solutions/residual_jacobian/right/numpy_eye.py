"""NumPy."""

import numpy as np


def residual_jacobian(sublayer_jacobian):
    return np.eye(len(sublayer_jacobian), dtype=sublayer_jacobian.dtype) + sublayer_jacobian
