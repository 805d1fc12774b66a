"""One distance after the other."""

import math

import numpy as np


def bucket_of(d, num_buckets, max_distance):
    half = num_buckets // 2
    exact = half // 2
    t = abs(d)
    if t >= exact:
        t = exact + math.floor((math.log(t) - math.log(exact)) / (math.log(max_distance) - math.log(exact)) * (half - exact))
        t = min(t, half - 1)
    return t + half if d > 0 else t


def relative_position_bucket(distance, num_buckets=32, max_distance=128):
    flat = [bucket_of(int(d), num_buckets, max_distance) for d in distance.reshape(-1)]
    return np.array(flat).reshape(distance.shape)
