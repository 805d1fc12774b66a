def count_parameters(d_model, num_heads, bias=False):
    weights = 4 * d_model * d_model
    if bias:
        weights += 4 * num_heads  #!
    return weights
