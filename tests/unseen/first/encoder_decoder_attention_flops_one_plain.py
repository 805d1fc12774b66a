def encoder_decoder_attention_flops(n, m, d_model):
    enc = 4 * n * n * d_model
    dec = 4 * m * m * d_model
    cross = 4 * n * n * d_model  #!
    return enc + dec + cross
