"""A count that is computed with floats is the same number."""


def attention_flops(n, d_model):
    return 4.0 * n**2 * d_model
