"""Weights over weights."""


def ffn_parameter_share(d_model, d_ff):
    return 2 * d_model * d_ff / (4 * d_model * d_model + 2 * d_model * d_ff)
