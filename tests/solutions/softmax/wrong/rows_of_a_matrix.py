"""Written for matrices: the first axis is taken for all there is before the last.

caught-by: values
"""

import numpy as np


def softmax(x, axis=-1):
    result = np.zeros_like(x)
    for i in range(x.shape[0]):
        e = np.exp(x[i] - x[i].max())
        result[i] = e / e.sum()
    return result
