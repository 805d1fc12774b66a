"""One row, which would broadcast, but is not the shape asked for.

caught-by: values
"""

import numpy as np


def uniform_attention(values):
    return values.mean(axis=-2, keepdims=True)
