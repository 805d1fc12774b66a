"""Only QKᵀ.

caught-by: values
"""


def encoder_decoder_attention_flops(n, m, d_model):
    return 2 * d_model * (n * n + m * m + n * m)
