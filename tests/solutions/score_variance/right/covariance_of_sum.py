"""The variance of a sum as the sum of the covariance matrix of its terms, which is diagonal."""

import numpy as np


def score_variance(d_k, var_q=1.0, var_k=1.0):
    return float(np.diag(np.full(d_k, float(var_q * var_k))).sum())
