"""The softmax of every head is counted, too.

caught-by: values
"""


def multi_head_flops(n, d_model, num_heads):
    return 4 * n * n * d_model + 3 * num_heads * n * n
