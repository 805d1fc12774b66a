"""Each product by its three sizes."""


def _product(a, b, c):
    return 2 * a * b * c


def attention_flops(n, d_model):
    return _product(n, d_model, n) + _product(n, n, d_model)
