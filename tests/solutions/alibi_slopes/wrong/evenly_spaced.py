"""Slopes in equal steps.

caught-by: values
"""

import numpy as np


def alibi_slopes(num_heads):
    return np.linspace(2.0 ** (-8 / num_heads), 2.0**-8, num_heads)
