"""Does not divide by the sum of what is kept.

caught-by: values, rows_sum_to_one
"""

import numpy as np


def top_p_filter(logits, p):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    probabilities = e / e.sum(axis=-1, keepdims=True)
    ordered = -np.sort(-probabilities, axis=-1)
    size = (np.cumsum(ordered, axis=-1) - ordered < p).sum(axis=-1, keepdims=True)
    smallest = np.take_along_axis(ordered, size - 1, axis=-1)
    return np.where(probabilities >= smallest, probabilities, 0)
