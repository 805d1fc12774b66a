"""The closed form."""


def crossover_length(d_model):
    return 2 * d_model
