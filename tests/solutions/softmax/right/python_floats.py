"""Python floats; the axis is moved to the end and back."""

import math

import numpy as np


def softmax(x, axis=-1):
    moved = np.moveaxis(x, axis, -1)
    rows = []
    for row in moved.reshape(-1, moved.shape[-1]).tolist():
        largest = max(row)
        exponentials = [math.exp(value - largest) for value in row]
        rows.append([value / math.fsum(exponentials) for value in exponentials])
    return np.moveaxis(np.array(rows).reshape(moved.shape), -1, axis)
