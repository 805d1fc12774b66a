"""2·d_model cancels."""


def ffn_parameter_share(d_model, d_ff):
    return d_ff / (2 * d_model + d_ff)
