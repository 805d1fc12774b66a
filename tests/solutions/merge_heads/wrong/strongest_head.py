"""Of every feature only the largest over the heads.

caught-by: values
"""

import numpy as np


def merge_heads(x):
    return x.max(axis=-3)
