"""The parameters, each used once for each token."""


def projection_flops(n, d_model):
    parameters = sum(d_model * d_model for _ in ("q", "k", "v", "o"))
    return sum(2 * parameters for _ in range(n))
