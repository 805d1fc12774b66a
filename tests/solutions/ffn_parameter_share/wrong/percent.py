"""In percent.

caught-by: values
"""


def ffn_parameter_share(d_model, d_ff):
    return 100 * d_ff / (2 * d_model + d_ff)
