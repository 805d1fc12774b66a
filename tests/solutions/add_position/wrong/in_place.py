"""In place.

caught-by: unchanged_inputs
"""


def add_position(x, pe):
    x += pe
    return x
