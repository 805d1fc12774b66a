"""The closed form."""


def projection_flops(n, d_model):
    return 8 * n * d_model**2
