"""All heads share one projection of keys and one of values, as in multi-query attention.

caught-by: values
"""


def count_parameters(d_model, num_heads, bias=False):
    d_k = d_model // num_heads
    return 2 * d_model**2 + 2 * d_model * d_k + ((2 * d_model + 2 * d_k) if bias else 0)
