"""NumPy, one query and one key at a time."""

import math

import numpy as np


def one(query, keys, values, temperature):
    scores = [float(np.dot(query, key)) / temperature for key in keys]
    largest = max(scores)
    weights = [math.exp(score - largest) for score in scores]
    total = sum(weights)
    return sum(weight / total * value for weight, value in zip(weights, values, strict=True))


def soft_lookup(query, keys, values, temperature=1.0):
    if not temperature > 0:
        raise ValueError(f"bad temperature {temperature!r}")
    result = np.empty((*query.shape[:-1], values.shape[-1]), dtype=values.dtype)
    for index in np.ndindex(query.shape[:-1]):
        batch = index[:-1]
        result[index] = one(query[index], keys[batch], values[batch], temperature)
    return result
