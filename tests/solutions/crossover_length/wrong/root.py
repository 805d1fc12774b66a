"""The root of the width.

caught-by: values
"""


def crossover_length(d_model):
    return d_model**0.5
