"""No return.

caught-by: values
"""


def projection_flops(n, d_model):
    total = 8 * n * d_model**2
