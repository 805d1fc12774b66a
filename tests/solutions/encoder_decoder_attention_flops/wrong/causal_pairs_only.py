"""Only the pairs that the causal mask lets through.

caught-by: values
"""


def encoder_decoder_attention_flops(n, m, d_model):
    return 4 * d_model * (n * n + m * (m + 1) // 2 + n * m)
