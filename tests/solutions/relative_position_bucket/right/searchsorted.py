"""The beginnings of the buckets, and where each distance falls among them."""

import numpy as np


def relative_position_bucket(distance, num_buckets=32, max_distance=128):
    half = num_buckets // 2
    exact = half // 2
    grown = exact * (max_distance / exact) ** (np.arange(half - exact) / (half - exact))
    starts = np.concatenate([np.arange(exact), grown])
    return np.searchsorted(starts, np.abs(distance), side="right") - 1 + half * (distance > 0)
