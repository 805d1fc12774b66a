"""Cases."""


def projection_parameters(d_model, d_pos, mode):
    if mode == "add":
        return d_model * d_model
    if mode == "concat":
        return (d_model + d_pos) * d_model
    raise ValueError(mode)
