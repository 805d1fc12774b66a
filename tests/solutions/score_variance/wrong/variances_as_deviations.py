"""The variances are taken for standard deviations and squared.

caught-by: values
"""


def score_variance(d_k, var_q=1.0, var_k=1.0):
    return d_k * var_q**2 * var_k**2
