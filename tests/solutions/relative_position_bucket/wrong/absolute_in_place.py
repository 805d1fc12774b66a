"""The distances lose their sign for good.

caught-by: unchanged_inputs
"""

import math

import torch


def relative_position_bucket(distance, num_buckets=32, max_distance=128):
    half = num_buckets // 2
    exact = half // 2
    after = half * (distance > 0)
    distance.abs_()
    steps = torch.log(distance.clamp(min=exact) / exact) / math.log(max_distance / exact)
    far = (exact + (steps * (half - exact)).long()).clamp(max=half - 1)
    return torch.where(distance < exact, distance, far) + after
