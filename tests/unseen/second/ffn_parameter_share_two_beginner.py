def ffn_parameter_share(d_model, d_ff):
    w_1 = d_model * d_ff
    w_2 = d_ff * d_model
    ffn = w_1 + w_2
    attention = 3 * d_model * d_model  #!
    total = attention  #!
    share = ffn / total
    return share
