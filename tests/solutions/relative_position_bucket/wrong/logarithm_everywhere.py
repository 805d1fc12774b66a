"""No buckets for single distances.

caught-by: values
"""

import numpy as np


def relative_position_bucket(distance, num_buckets=32, max_distance=128):
    half = num_buckets // 2
    t = np.log1p(np.abs(distance)) / np.log1p(max_distance) * half
    return np.minimum(t.astype(int), half - 1) + half * (distance > 0)
