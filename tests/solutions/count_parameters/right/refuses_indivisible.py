"""Refuses what cannot be split, which nobody asks for."""


def count_parameters(d_model, num_heads, bias=False):
    if d_model % num_heads:
        raise ValueError("num_heads must divide d_model")
    return (d_model + int(bias)) * d_model * 4
