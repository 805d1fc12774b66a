"""Takes a variance of 0 for one that is not given.

caught-by: values
"""

def score_variance(d_k, var_q=None, var_k=None):
    return d_k * (var_q or 1.0) * (var_k or 1.0)
