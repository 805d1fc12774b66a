def projection_parameters(d_model, d_pos, mode):
    if mode == "add":
        return d_model * (d_model + 1)  #!
    if mode == "concat":
        return d_model * d_model + d_pos * d_pos  #!
    raise ValueError(mode)
