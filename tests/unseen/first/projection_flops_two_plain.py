def projection_flops(n, d_model):
    one = n * d_model * d_model  #!
    return 3 * one  #!
