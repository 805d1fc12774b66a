"""Projections of 8 heads, each d_k by d_k.

caught-by: values
"""


def projection_flops(n, d_model):
    d_k = d_model // 8
    return 4 * 2 * n * 8 * d_k * d_k
