"""The additions of biases are counted, too.

caught-by: values
"""


def projection_flops(n, d_model):
    return 8 * n * d_model**2 + 4 * n * d_model
