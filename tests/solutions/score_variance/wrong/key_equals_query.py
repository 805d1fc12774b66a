"""The formula for a key that is the query itself, with normal components.

caught-by: values
"""


def score_variance(d_k, var_q=1.0, var_k=1.0):
    return 2 * d_k * var_q * var_k
