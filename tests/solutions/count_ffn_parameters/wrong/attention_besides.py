"""With the attention's projections.

caught-by: values
"""


def count_ffn_parameters(d_model, d_ff, bias=False):
    return 4 * d_model**2 + 2 * d_model * d_ff + bias * (d_ff + d_model)
