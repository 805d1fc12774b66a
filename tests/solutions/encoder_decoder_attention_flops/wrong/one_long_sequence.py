"""Attention over both sequences joined.

caught-by: values
"""


def encoder_decoder_attention_flops(n, m, d_model):
    return 4 * d_model * (n + m) ** 2
