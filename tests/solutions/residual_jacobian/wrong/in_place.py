"""The diagonal of the argument.

caught-by: unchanged_inputs
"""

import numpy as np


def residual_jacobian(sublayer_jacobian):
    sublayer_jacobian[np.diag_indices_from(sublayer_jacobian)] += 1
    return sublayer_jacobian
