"""The closed form."""


def encoder_decoder_attention_flops(n, m, d_model):
    return 4 * d_model * (n * n + m * m + n * m)
