"""Prints instead of returning.

caught-by: values
"""


def attention_flops(n, d_model):
    print(4 * n**2 * d_model)
