"""The closed form."""


def attention_flops(n, d_model):
    return 4 * n**2 * d_model
