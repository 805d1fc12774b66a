"""Estimated from samples: near, but not equal.

caught-by: values
"""

import numpy as np


def score_variance(d_k, var_q=1.0, var_k=1.0):
    generator = np.random.default_rng(0)
    q = generator.standard_normal((2000, d_k)) * np.sqrt(var_q)
    k = generator.standard_normal((2000, d_k)) * np.sqrt(var_k)
    return float((q * k).sum(axis=-1).var())
