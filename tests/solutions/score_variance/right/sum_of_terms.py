"""Term by term."""


def score_variance(d_k, var_q=1.0, var_k=1.0):
    return sum(var_q * var_k for _ in range(d_k))
