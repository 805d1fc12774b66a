"""A layer norm is counted, too.

caught-by: values
"""


def count_parameters(d_model, num_heads, bias=False):
    return 4 * d_model**2 + 2 * d_model + (4 * d_model if bias else 0)
