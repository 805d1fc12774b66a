"""A copy, its diagonal raised by one."""

import numpy as np


def residual_jacobian(sublayer_jacobian):
    out = np.array(sublayer_jacobian)
    out[np.diag_indices_from(out)] += 1
    return out
