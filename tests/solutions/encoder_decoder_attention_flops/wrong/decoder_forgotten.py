"""No self-attention in the decoder.

caught-by: values
"""


def encoder_decoder_attention_flops(n, m, d_model):
    return 4 * d_model * (n * n + n * m)
