"""In place.

caught-by: unchanged_inputs
"""


def residual(x, sublayer):
    x += sublayer(x)
    return x
