"""Rounded down, and left as floats.

caught-by: values
"""

import numpy as np


def relative_position_bucket(distance, num_buckets=32, max_distance=128):
    half = num_buckets // 2
    near = half // 2
    far = np.abs(distance)
    scale = np.log(np.maximum(far, 1) / near) / np.log(max_distance / near)
    large = np.minimum(near + np.floor(scale * (half - near)), half - 1)
    return np.where(distance > 0, half, 0) + np.where(far < near, far, large)
