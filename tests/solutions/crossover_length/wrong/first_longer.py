"""The first length at which the products cost more.

caught-by: values
"""


def crossover_length(d_model):
    return 2 * d_model + 1
