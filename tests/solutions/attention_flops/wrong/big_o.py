"""The term inside the O().

caught-by: values
"""


def attention_flops(n, d_model):
    return n**2 * d_model
