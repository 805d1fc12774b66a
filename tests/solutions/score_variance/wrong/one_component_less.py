"""d_k - 1, as for the variance of a sample.

caught-by: values
"""


def score_variance(d_k, var_q=1.0, var_k=1.0):
    return (d_k - 1) * var_q * var_k
