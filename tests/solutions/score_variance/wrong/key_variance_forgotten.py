"""The variance of the keys is left out.

caught-by: values
"""


def score_variance(d_k, var_q=1.0, var_k=1.0):
    return d_k * var_q
