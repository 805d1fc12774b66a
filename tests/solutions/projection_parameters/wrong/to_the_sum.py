"""Projected to the width of both.

caught-by: values
"""


def projection_parameters(d_model, d_pos, mode):
    if mode not in ("add", "concat"):
        raise ValueError
    return d_model**2 if mode == "add" else (d_model + d_pos) ** 2
