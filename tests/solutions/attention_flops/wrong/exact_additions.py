"""One addition less in each dot product.

caught-by: values
"""


def attention_flops(n, d_model):
    return n * n * (2 * d_model - 1) + n * d_model * (2 * n - 1)
