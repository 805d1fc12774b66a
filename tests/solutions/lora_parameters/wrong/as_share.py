"""As a share of the weight.

caught-by: values
"""


def lora_parameters(d_in, d_out, r):
    return r * (d_in + d_out) / (d_in * d_out)
