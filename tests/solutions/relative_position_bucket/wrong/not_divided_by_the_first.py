"""The logarithm of t / max_distance only.

caught-by: values
"""

import numpy as np


def relative_position_bucket(distance, num_buckets=32, max_distance=128):
    half = num_buckets // 2
    exact = half // 2
    t = np.abs(distance)
    large = exact + (np.log(np.maximum(t, 1)) / np.log(max_distance) * (half - exact)).astype(int)
    return np.where(t < exact, t, np.minimum(large, half - 1)) + half * (distance > 0)
