"""Matrix by matrix."""


def lora_parameters(d_in, d_out, r):
    return sum(rows * columns for rows, columns in [(d_in, r), (r, d_out)])
