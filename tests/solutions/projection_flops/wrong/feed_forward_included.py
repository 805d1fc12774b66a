"""The feed-forward network is counted, too.

caught-by: values
"""


def projection_flops(n, d_model):
    return 8 * n * d_model**2 + 16 * n * d_model**2
