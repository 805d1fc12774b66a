"""ceil instead of floor.

caught-by: values
"""

import numpy as np


def relative_position_bucket(distance, num_buckets=32, max_distance=128):
    half = num_buckets // 2
    exact = half // 2
    t = np.abs(distance)
    large = exact + np.ceil(np.log(np.maximum(t, exact) / exact) / np.log(max_distance / exact) * (half - exact))
    return np.where(t < exact, t, np.minimum(large, half - 1)).astype(int) + half * (distance > 0)
