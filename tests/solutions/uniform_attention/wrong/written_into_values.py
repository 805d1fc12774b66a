"""The result is written into the argument.

caught-by: unchanged_inputs
"""

import numpy as np


def uniform_attention(values):
    values[...] = values.mean(axis=-2, keepdims=True)
    return values
