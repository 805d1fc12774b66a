"""The limit is half, not half − 1.

caught-by: values
"""

import numpy as np


def relative_position_bucket(distance, num_buckets=32, max_distance=128):
    half = num_buckets // 2
    exact = half // 2
    t = np.abs(distance)
    large = exact + np.floor(np.log(np.maximum(t, exact) / exact) / np.log(max_distance / exact) * (half - exact))
    return np.where(t < exact, t, np.minimum(large, half)).astype(int) + half * (distance > 0)
