"""NumPy."""


def add_position(x, pe):
    return x + pe
