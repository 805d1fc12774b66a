"""One bias at the end.

caught-by: values
"""


def count_ffn_parameters(d_model, d_ff, bias=False):
    return 2 * d_model * d_ff + (d_model if bias else 0)
