import numpy as np


def one_bucket(distance, num_buckets, max_distance):
    half = num_buckets // 2
    start = half if distance < 0 else 0  #!
    distance = abs(distance)
    exact = half // 2
    if distance < exact:
        return start + distance
    far = exact + int(np.log(distance / exact) / np.log(max_distance / exact) * half)  #!
    return start + min(far, half - 1)


def relative_position_bucket(distance, num_buckets=32, max_distance=128):
    distance = np.asarray(distance)
    result = np.zeros(distance.shape, dtype=int)
    for index in np.ndindex(distance.shape):
        result[index] = one_bucket(int(distance[index]), num_buckets, max_distance)
    return result
