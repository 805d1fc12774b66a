"""As nn.Linear stores weights.

caught-by: values
"""


def split_projection(w, d_model):
    return w[:d_model].T, w[d_model:].T
