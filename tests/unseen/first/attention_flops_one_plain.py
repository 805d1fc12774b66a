def attention_flops(n, d_model):
    scores = 2 * n * n * d_model
    out = n * n * d_model  #!
    return scores + out
