"""Every bias is as wide as one head.

caught-by: values
"""


def count_parameters(d_model, num_heads, bias=False):
    d_k = d_model // num_heads
    return 4 * d_model**2 + (4 * d_k if bias else 0)
