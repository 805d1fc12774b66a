"""With a bias for each matrix.

caught-by: values
"""


def lora_parameters(d_in, d_out, r):
    return (d_in + 1) * r + (r + 1) * d_out
