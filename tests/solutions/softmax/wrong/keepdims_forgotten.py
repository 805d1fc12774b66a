"""The maximum loses its axis and is then lined up with the wrong one.

caught-by: values
"""

import numpy as np


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis))
    return e / e.sum(axis=axis)
