"""What is below one is raised to it.

caught-by: values
"""

import numpy as np


def residual_jacobian(sublayer_jacobian):
    out = np.eye(len(sublayer_jacobian)) + sublayer_jacobian
    return np.where(np.eye(len(out), dtype=bool), np.maximum(out, 1), out)
