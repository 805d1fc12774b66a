"""An assertion is no ValueError.

caught-by: raises
"""


def projection_parameters(d_model, d_pos, mode):
    assert mode in ("add", "concat")
    return (d_model if mode == "add" else d_model + d_pos) * d_model
