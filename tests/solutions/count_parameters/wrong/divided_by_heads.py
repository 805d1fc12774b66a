"""Everything is divided by the number of heads.

caught-by: values
"""


def count_parameters(d_model, num_heads, bias=False):
    return 4 * d_model * (d_model // num_heads) + (4 * d_model if bias else 0)
