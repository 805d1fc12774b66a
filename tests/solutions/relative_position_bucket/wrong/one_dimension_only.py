"""A list comprehension over the first axis.

caught-by: values
"""

import math

import numpy as np


def relative_position_bucket(distance, num_buckets=32, max_distance=128):
    half = num_buckets // 2
    exact = half // 2

    def bucket(d):
        t = abs(d)
        if t >= exact:
            t = min(half - 1, exact + int(math.log(t / exact) / math.log(max_distance / exact) * (half - exact)))
        return t + half * (d > 0)

    return np.array([bucket(int(d)) for d in distance])
