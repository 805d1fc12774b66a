"""The softmax is counted, too.

caught-by: values
"""


def attention_flops(n, d_model):
    return 4 * n**2 * d_model + 3 * n**2
