"""One product."""


def count_ffn_parameters(d_model, d_ff, bias=False):
    return 2 * d_model * d_ff + bias * (d_ff + d_model)
