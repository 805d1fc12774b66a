"""The number of heads enters twice.

caught-by: values
"""


def multi_head_flops(n, d_model, num_heads):
    d_k = d_model // num_heads
    return num_heads**2 * 4 * n * n * d_k
