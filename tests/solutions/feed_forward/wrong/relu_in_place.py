"""Works on x itself.

caught-by: unchanged_inputs
"""

import numpy as np


def feed_forward(x, w_1, b_1, w_2, b_2):
    result = np.maximum(x @ w_1 + b_1, 0) @ w_2 + b_2
    x[...] = result
    return result
