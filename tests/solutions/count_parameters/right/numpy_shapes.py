"""The product of each shape, with NumPy integers."""

import numpy as np


def count_parameters(d_model, num_heads, bias=False):
    d_k = d_model // num_heads
    shapes = [(num_heads, d_model, d_k)] * 3 + [(num_heads * d_k, d_model)]
    if bias:
        shapes += [(num_heads, d_k)] * 3 + [(d_model,)]
    return np.sum([np.prod(shape) for shape in shapes])
