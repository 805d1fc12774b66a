"""Two attentions.

caught-by: values
"""


def ffn_parameter_share(d_model, d_ff):
    return 2 * d_model * d_ff / (8 * d_model**2 + 2 * d_model * d_ff)
