"""NumPy, plain."""

import numpy as np


def relative_position_bucket(distance, num_buckets=32, max_distance=128):
    half = num_buckets // 2
    exact = half // 2
    t = np.abs(distance)
    large = exact + (
        np.log(np.maximum(t, 1) / exact) / np.log(max_distance / exact) * (half - exact)
    ).astype(np.int64)
    bucket = np.where(t < exact, t, np.minimum(large, half - 1))
    return bucket + np.where(distance > 0, half, 0)
