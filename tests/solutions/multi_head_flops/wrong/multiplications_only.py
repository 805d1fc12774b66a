"""Multiplications without additions.

caught-by: values
"""


def multi_head_flops(n, d_model, num_heads):
    return 2 * n * n * d_model
