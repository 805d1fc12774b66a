"""NumPy, centred: the plain mean may be subtracted first, as it cancels."""

import numpy as np


def softmax_backward(x, grad, axis=-1):
    weights = np.exp(x - np.max(x, axis=axis, keepdims=True))
    weights /= np.sum(weights, axis=axis, keepdims=True)
    centred = grad - np.mean(grad, axis=axis, keepdims=True)
    return weights * (centred - np.sum(weights * centred, axis=axis, keepdims=True))
