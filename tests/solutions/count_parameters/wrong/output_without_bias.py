"""The output projection gets no bias.

caught-by: values
"""


def count_parameters(d_model, num_heads, bias=False):
    return 4 * d_model**2 + (3 * d_model if bias else 0)
