"""W^O is counted, too.

caught-by: values
"""


def multi_head_flops(n, d_model, num_heads):
    return 4 * n * n * d_model + 2 * n * d_model**2
