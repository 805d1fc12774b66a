"""One helper, three times."""


def _attention(queries, keys, width):
    return 2 * queries * width * keys + 2 * queries * keys * width


def encoder_decoder_attention_flops(n, m, d_model):
    return _attention(n, n, d_model) + _attention(m, m, d_model) + _attention(m, n, d_model)
