"""The two formulas solved for n."""


def crossover_length(d_model):
    quadratic = 4 * d_model
    linear = 8 * d_model**2
    return linear / quadratic
