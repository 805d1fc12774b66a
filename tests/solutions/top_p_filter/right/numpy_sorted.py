"""NumPy: sorted, decided, and put back."""

import numpy as np


def top_p_filter(logits, p):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    probabilities = e / e.sum(axis=-1, keepdims=True)
    order = np.argsort(-probabilities, axis=-1)
    ordered = np.take_along_axis(probabilities, order, axis=-1)
    ordered = np.where(np.cumsum(ordered, axis=-1) - ordered < p, ordered, 0)
    result = np.empty_like(probabilities)
    np.put_along_axis(result, order, ordered, axis=-1)
    return result / result.sum(axis=-1, keepdims=True)
