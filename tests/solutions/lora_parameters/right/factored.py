"""The formula."""


def lora_parameters(d_in, d_out, r):
    return r * (d_in + d_out)
