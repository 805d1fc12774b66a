"""NumPy, one slice after the other, with loops over the Jacobian."""

import numpy as np


def one(x, grad):
    e = np.exp(x - x.max())
    w = e / e.sum()
    result = np.zeros_like(x)
    for j in range(len(x)):
        for i in range(len(x)):
            result[j] += grad[i] * w[i] * ((i == j) - w[j])
    return result


def softmax_backward(x, grad, axis=-1):
    x, grad = np.moveaxis(x, axis, -1), np.moveaxis(grad, axis, -1)
    result = np.empty_like(x)
    for place in np.ndindex(x.shape[:-1]):
        result[place] = one(x[place], grad[place])
    return np.moveaxis(result, -1, axis)
